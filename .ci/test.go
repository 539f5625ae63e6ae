// Test runs all tests and prints the ten slowest. Arguments are flags of go test.
//
// Packages run with the race detector, except the tests of the built program (cmd/feedwire/e2e), which kill it, and the tests
// that raceEnabled skips: those in a browser and those of speed.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	endToEnd = "github.com/feedwire/feedwire/cmd/feedwire/e2e"
	daemon   = "github.com/feedwire/feedwire/cmd/feedwire/daemon"
	unraced  = "^(TestDesk|TestPagesAreQuick.*)$"
)

// event is a line of go test -json; see go doc test2json.
type event struct {
	Action, Package, Test, Output, OutputType string
	Elapsed                                   float64 // in seconds
}

func main() {
	start := time.Now()
	list, err := exec.Command("go", "list", "./...").Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, "go list:", err)
		os.Exit(1)
	}
	raced := slices.DeleteFunc(strings.Fields(string(list)), func(name string) bool { return name == endToEnd })
	raced = append([]string{daemon}, slices.DeleteFunc(raced, func(name string) bool { return name == daemon })...) // it takes longest
	var r report
	var lanes sync.WaitGroup
	lanes.Go(func() { r.run(append([]string{"-race", "-p", "3"}, append(os.Args[1:], raced...)...)) })
	lanes.Go(func() {
		r.run(append(os.Args[1:len(os.Args):len(os.Args)], endToEnd))
		r.run(append(os.Args[1:len(os.Args):len(os.Args)], "-run", unraced, daemon))
	})
	lanes.Wait()
	r.print(time.Since(start))
	if r.failed {
		os.Exit(1)
	}
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
		fmt.Printf("%6.1fs  %s  %s\n", t.Elapsed, t.Test, strings.TrimPrefix(t.Package, "github.com/feedwire/feedwire/"))
	}
}
