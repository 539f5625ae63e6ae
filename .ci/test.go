// Command test runs all tests and prints the ten slowest. Arguments are flags of go test.
//
// The race detector makes tests several times slower and observes only goroutines of its own process. It is off where it has
// nothing to observe:
//   - packages whose files, tests included, start no goroutine and share nothing with one but a sync.OnceValue
//   - test files with the constraint !race: they compute in one goroutine, measure speed or drive a browser
//   - cmd/feedwire/e2e, which drives the built program and kills it
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	module   = "github.com/feedwire/feedwire/"
	endToEnd = module + "cmd/feedwire/e2e"
)

// longest are the packages whose tests take longest, longest first. They start first: one that starts last runs alone in the end.
var longest = []string{
	"cmd/feedwire/daemon", "cmd/feedwire/e2e", "signals/delivery", "store/source", "ingest", "store/ops", "signals/hub", "ingest/parser",
	"store/entry", "publish", "store", "store/timeline", "publish/desk", "cmd/feedwire/demo", "config", "publish/intake", "publish/limits",
	"publish/instant", "store/article",
}

// event is a line of go test -json; see go doc test2json.
type event struct {
	Action, Package, Test, Output, OutputType string
	Elapsed                                   float64 // in seconds
}

func main() {
	start := time.Now()
	p, err := plan()
	if err != nil {
		fmt.Fprintln(os.Stderr, "plan the tests:", err)
		os.Exit(1)
	}
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise each process of the race detector sleeps for a second at its end
	_ = os.Setenv("GOGC", "400")                 // the race detector makes collecting garbage several times slower, too
	_ = os.Setenv("GOMEMLIMIT", "1500MiB")       // of each process
	var r report
	run := func(flags []string, packages ...string) {
		r.run(slices.Concat([]string{"-vet=off"}, flags, os.Args[1:], packages)) // make lint vets
	}
	var lanes sync.WaitGroup
	lanes.Go(func() { run([]string{"-race", "-p", "3"}, p.concurrent...) })
	lanes.Go(func() { run(nil, p.sequential...) })
	lanes.Go(func() { run([]string{"-p", "1", "-run", "^(" + strings.Join(p.tests, "|") + ")$"}, p.partly...) })
	lanes.Wait()
	r.print(time.Since(start))
	if r.failed {
		os.Exit(1)
	}
}

// packages are the packages by the way their tests run. Those that take longest are first.
type packages struct {
	concurrent []string // with the race detector
	sequential []string // without it
	partly     []string // some of the concurrent ones: they have tests that run without the race detector
	tests      []string // the names of those tests
}

var (
	goroutine   = regexp.MustCompile(`(?m)^\s*go (func|[\w.]+)\(|\.Go\(|\bchan\b|"sync/atomic"|\bsync\.([A-NP-Z]|Once\b)|\.Parallel\(|httptest\.NewServer|net\.Listen`)
	withoutRace = regexp.MustCompile(`(?m)^//go:build .*!race`)
	testName    = regexp.MustCompile(`(?m)^func (Test\w+)\(\w+ \*testing\.T\)`)
)

func plan() (p packages, err error) {
	list, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{.Dir}}", "./...").Output()
	if err != nil {
		return p, err
	}
	lines := strings.Split(strings.TrimSpace(string(list)), "\n")
	slices.SortStableFunc(lines, func(a, b string) int { return cmp.Compare(position(a), position(b)) })
	for _, line := range lines {
		name, dir, _ := strings.Cut(line, " ")
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return p, err
		}
		concurrent, tests := false, []string(nil) // tests without the race detector
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return p, err
			}
			if !withoutRace.Match(text) {
				concurrent = concurrent || goroutine.Match(text)
				continue
			}
			for _, found := range testName.FindAllSubmatch(text, -1) {
				tests = append(tests, string(found[1]))
			}
		}
		if !concurrent || name == endToEnd {
			p.sequential = append(p.sequential, name)
			continue
		}
		p.concurrent = append(p.concurrent, name)
		if len(tests) > 0 {
			p.partly, p.tests = append(p.partly, name), append(p.tests, tests...)
		}
	}
	return p, nil
}

// position returns the place of a line of go list in the order of starts.
func position(line string) int {
	name, _, _ := strings.Cut(line, " ")
	if i := slices.Index(longest, strings.TrimPrefix(name, module)); i >= 0 {
		return i
	}
	return len(longest)
}

// report collects what the tests print and how long they take.
type report struct {
	mu     sync.Mutex
	tests  []event
	failed bool
}

// run runs go test. It prints the output of packages that fail, and one line for each other package.
func (r *report) run(args []string) {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		r.read(out)
		err = cmd.Wait()
	}
	if err != nil {
		r.mu.Lock()
		r.failed = true
		r.mu.Unlock()
		fmt.Fprintf(os.Stderr, "go test %s: %v\n", strings.Join(args[:min(len(args), 6)], " "), err)
	}
}

func (r *report) read(out io.Reader) {
	output := make(map[string]*strings.Builder) // by package and test
	key := func(e *event) string { return e.Package + " " + e.Test }
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var e event
		if json.Unmarshal(line, &e) != nil {
			fmt.Print(string(line))
			continue
		}
		switch e.Action {
		case "output", "build-output":
			b := output[key(&e)]
			if b == nil {
				b = new(strings.Builder)
				output[key(&e)] = b
			}
			b.WriteString(e.Output)
		case "pass", "fail", "skip":
			r.end(&e, output[key(&e)])
			delete(output, key(&e))
		}
	}
}

// end prints the output of a test or a package that failed, and the last line of one that did not.
func (r *report) end(e *event, output *strings.Builder) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := ""
	if output != nil {
		text = output.String()
	}
	switch {
	case e.Action == "fail":
		fmt.Print(text)
	case e.Test == "" && e.Action == "pass":
		last := strings.TrimSpace(text)
		fmt.Println(last[strings.LastIndexByte(last, '\n')+1:])
	}
	if e.Test == "" {
		return
	}
	// A test ends after its subtests and contains their time, unless they run in parallel.
	subtest := func(t event) bool { return t.Package == e.Package && strings.HasPrefix(t.Test, e.Test+"/") }
	if !slices.ContainsFunc(r.tests, subtest) {
		r.tests = append(r.tests, *e)
	}
}

func (r *report) print(took time.Duration) {
	slices.SortFunc(r.tests, func(a, b event) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	fmt.Printf("\n%d tests in %v. The slowest:\n", len(r.tests), took.Round(time.Second))
	for _, t := range r.tests[:min(len(r.tests), 10)] {
		fmt.Printf("%6.1fs  %s  %s\n", t.Elapsed, t.Test, strings.TrimPrefix(t.Package, module))
	}
}
