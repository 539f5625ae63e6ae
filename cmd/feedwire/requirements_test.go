package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// requirements are how many each specification has that a comment above a test names, such as 003-7.
var requirements = map[string]int{"002": 27, "003": 34}

// acceptance is how many acceptance tests Lamer News has. The name of a test begins with that of its acceptance test.
const acceptance = 7

func TestEveryRequirementHasATest(t *testing.T) {
	comments, names := readTests(t)
	for specification, count := range requirements {
		for n := 1; n <= count; n++ {
			if name := fmt.Sprint(specification, "-", n); !regexp.MustCompile(name + `\b`).MatchString(comments) {
				t.Errorf("no test names %s", name)
			}
		}
	}
	for n := 1; n <= acceptance; n++ {
		if name := fmt.Sprint("TestA", n); !regexp.MustCompile(`(?m)^` + name + `[A-Z]`).MatchString(names) {
			t.Errorf("no test is %s", name)
		}
	}
}

// readTests returns the comments above all tests of the module, and the names of the tests.
func readTests(t *testing.T) (comments, names string) {
	t.Helper()
	root := os.DirFS(filepath.Join("..", ".."))
	err := fs.WalkDir(root, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(root, path)
		above := ""
		for line := range strings.Lines(string(text)) {
			switch name, isTest := strings.CutPrefix(line, "func "); {
			case strings.HasPrefix(line, "//"):
				above += line
				continue
			case isTest && strings.HasPrefix(name, "Test"):
				comments += above
				names += name
			}
			above = ""
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return comments, names
}
