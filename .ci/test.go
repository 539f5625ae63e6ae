// Command test runs all tests and prints the ten slowest. Arguments are flags of go test.
//
// The race detector makes tests several times slower and observes only goroutines of its own process. It is off where it has
// nothing to observe:
//   - tests that start no goroutine, themselves or by their helpers, in packages whose program starts none either
//   - test files with the constraint !race: they compute in one goroutine, measure speed or drive a browser
//   - cmd/feedwire/e2e, which drives the built program and kills it
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
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
	"cmd/feedwire/daemon", "cmd/feedwire/e2e", "signals/delivery", "ingest", "store/timeline", "store/ranking", "signals/hub", "store/source", "store/ops",
	"publish/lists", "ingest/parser", "store/community", "store/entry", "store/hub", "store/signal", "store/article", "store", "publish", "store/people", "publish/instant",
	"publish/desk", "publish/intake", "config", "publish/limits",
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
	builds, err := os.MkdirTemp("", "feedwire")
	if err != nil {
		fmt.Fprintln(os.Stderr, "make a directory for built programs:", err)
		os.Exit(1)
	}
	_ = os.Setenv("WIRETEST_BUILDS", builds) // packages that drive the built program share it
	var r report
	run := func(flags []string, packages ...string) {
		r.run(slices.Concat([]string{"-vet=off"}, flags, os.Args[1:], packages)) // make lint vets
	}
	var lanes sync.WaitGroup
	lanes.Go(func() {
		run([]string{"-race", "-p", "3"}, p.concurrent...)
		run([]string{"-race", "-run", oneOf(p.raceTests)}, p.mixed...)
	})
	lanes.Go(func() { run(nil, p.sequential...) })
	lanes.Go(func() {
		run([]string{"-p", "1", "-run", oneOf(p.plainTests)}, p.partly...)
		run([]string{"-p", "1", "-skip", oneOf(p.raceTests)}, p.mixed...)
	})
	lanes.Wait()
	_ = os.RemoveAll(builds)
	r.print(time.Since(start))
	if r.failed {
		os.Exit(1)
	}
}

func oneOf(names []string) string { return "^(" + strings.Join(names, "|") + ")$" }

// packages are the packages by the way their tests run. Those that take longest are first.
type packages struct {
	concurrent []string // with the race detector
	sequential []string // without it
	partly     []string // some of the concurrent ones: they have tests that run without it
	plainTests []string // the names of those tests
	mixed      []string // without it, but for some tests
	raceTests  []string // the names of those tests
}

var (
	concurrency = regexp.MustCompile(`(?m)^\s*go (func|[\w.]+)\(|\.Go\(|\bchan\b|\batomic\.|\bsync\.([A-NP-Z]|Once\b)|\.Parallel\(|httptest\.NewServer|net\.Listen`)
	safeType    = regexp.MustCompile(`\batomic\.|\bsync\.(Map|Once|Pool|(RW)?Mutex)\b`) // gives the race detector nothing to observe without a goroutine
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
		concurrent, race, plain, err := testsOf(dir)
		switch {
		case err != nil:
			return p, err
		case concurrent && name != endToEnd:
			p.concurrent = append(p.concurrent, name)
			if len(plain) > 0 {
				p.partly, p.plainTests = append(p.partly, name), append(p.plainTests, plain...)
			}
		case len(race) > 0 && name != endToEnd:
			p.mixed, p.raceTests = append(p.mixed, name), append(p.raceTests, race...)
		default:
			p.sequential = append(p.sequential, name)
		}
	}
	return p, nil
}

// testsOf reports whether the tests in a directory are concurrent, because the program or t.Parallel makes them so. It returns
// the other tests that start goroutines, themselves or by their helpers, and those with the constraint !race.
func testsOf(dir string) (concurrent bool, race, plain []string, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	tests := declarations{}
	for _, path := range paths {
		inPlain, withRace, err := builds(path)
		if err != nil {
			return false, nil, nil, err
		}
		if !inPlain && !withRace { // another suite
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return false, nil, nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
		if err != nil {
			return false, nil, nil, err
		}
		for _, d := range file.Decls {
			code := text[d.Pos()-file.FileStart : d.End()-file.FileStart]
			switch name := testName(d); {
			case !strings.HasSuffix(path, "_test.go"):
				concurrent = concurrent || concurrency.Match(safeType.ReplaceAll(code, nil))
			case withRace:
				concurrent = concurrent || bytes.Contains(code, []byte("t.Parallel()"))
				tests.add(d, code)
			case name != "":
				plain = append(plain, name)
			}
		}
	}
	race, every := tests.race()
	return concurrent || every, race, plain, err
}

// builds reports whether a file is built without the race detector, and with it.
func builds(path string) (without, with bool, err error) {
	dir, name := filepath.Split(path)
	plain, race := build.Default, build.Default
	race.BuildTags = append(slices.Clone(plain.BuildTags), "race")
	if without, err = plain.MatchFile(dir, name); err == nil {
		with, err = race.MatchFile(dir, name)
	}
	return without, with, err
}

// declarations are those in the test files of a package, by name.
type declarations map[string]*declaration

type declaration struct {
	concurrent bool
	names      []string // that it contains
}

func (ds declarations) add(d ast.Decl, code []byte) {
	for _, name := range declared(d) {
		if strings.HasPrefix(name, "Benchmark") {
			continue
		}
		if ds[name] == nil {
			ds[name] = new(declaration)
		}
		ds[name].concurrent = ds[name].concurrent || concurrency.Match(code)
		ast.Inspect(d, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				ds[name].names = append(ds[name].names, id.Name)
			}
			return true
		})
	}
}

// race returns the tests that are concurrent or reach a declaration that is. It reports whether the package has no other test or
// starts goroutines before its tests.
func (ds declarations) race() (tests []string, every bool) {
	for again := true; again; {
		again = false
		for _, d := range ds {
			if !d.concurrent && slices.ContainsFunc(d.names, func(n string) bool { return ds[n] != nil && ds[n].concurrent }) {
				d.concurrent, again = true, true
			}
		}
	}
	every = true
	for name, d := range ds {
		switch {
		case isTest(name) && d.concurrent:
			tests = append(tests, name)
		case isTest(name):
			every = false
		}
	}
	slices.Sort(tests)
	before := func(name string) bool { return ds[name] != nil && ds[name].concurrent }
	return tests, len(tests) > 0 && (every || before("TestMain") || before("init"))
}

// declared returns the names that a declaration declares. A method has its own name and that of its type: tests reach it by the
// latter, but need not name a type of the program.
func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		names = append(names, d.Name.Name)
		if d.Recv != nil {
			ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && len(names) == 1 {
					names = append(names, id.Name)
				}
				return true
			})
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					names = append(names, id.Name)
				}
			}
		}
	}
	return names
}

// isTest reports whether go test runs the function of a name.
func isTest(name string) bool {
	return name != "TestMain" && (strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Example"))
}

// testName returns the name of a test, or "" for any other declaration.
func testName(d ast.Decl) string {
	if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && isTest(f.Name.Name) {
		return f.Name.Name
	}
	return ""
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

// end prints the output of a test or a package that failed, and the last line of one that did not. A race fails its package, but its
// report is in the output of whichever test was named last, which may pass.
func (r *report) end(e *event, output *strings.Builder) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := ""
	if output != nil {
		text = output.String()
	}
	switch {
	case e.Action == "fail", strings.Contains(text, "WARNING: DATA RACE"):
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
