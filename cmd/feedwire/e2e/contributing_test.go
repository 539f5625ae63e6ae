package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWalkNamesWhatExists checks that the packages, functions and scripts in the walk of a post (CONTRIBUTING.md) exist.
func TestWalkNamesWhatExists(t *testing.T) {
	top := checkout(t)
	text, err := os.ReadFile(filepath.Join(top, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, walk, _ := strings.Cut(string(text), "\n## The walk of a post\n")
	walk, _, _ = strings.Cut(walk, "\n## ")
	step := regexp.MustCompile("(?m)^\\d+\\. `([a-z/]+)`: (.+)$")
	steps := step.FindAllStringSubmatch(walk, -1)
	if len(steps) < 10 {
		t.Fatalf("the walk has %d steps", len(steps))
	}
	stored := sources(t, filepath.Join(top, "store"))
	for _, s := range steps {
		room := sources(t, filepath.Join(top, filepath.FromSlash(s[1])))
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(s[2], -1) {
			name := m[1]
			typ, method, isMethod := strings.Cut(name, ".")
			switch {
			case method == "lua":
				if !strings.Contains(stored, "\n"+name+"\n") {
					t.Errorf("%s: there is no script %s", s[1], name)
				}
			case isMethod && typ == "Store":
				if !strings.Contains(stored, ") "+method+"(") {
					t.Errorf("%s: no package of store has a method %s", s[1], method)
				}
			case isMethod:
				if !regexp.MustCompile(`(?m)^func \(\w* ?\*?` + typ + `\) ` + method + `\(`).MatchString(room) {
					t.Errorf("%s has no %s", s[1], name)
				}
			case !regexp.MustCompile(`(?m)^func (\(\w+ \*?\w+\) )?` + name + `\(`).MatchString(room):
				t.Errorf("%s has no function %s", s[1], name)
			}
		}
	}
}

// sources returns the Go files and the names of the scripts below a directory.
func sources(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(path, ".lua"):
			b.WriteString("\n" + filepath.Base(path) + "\n")
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b.Write(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
