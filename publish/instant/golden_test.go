package instant_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/publish/instant/validate"
)

// TestGoldenCases compares the article element and the warnings of each case in testdata/golden. Run with -update to
// write them. There is a case for each element of the format, each requirement that a source can violate, and each
// difficult construct.
func TestGoldenCases(t *testing.T) {
	cases, err := filepath.Glob("testdata/golden/*.in.html")
	if err != nil || len(cases) < 60 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	for _, in := range cases {
		name := strings.TrimSuffix(in, ".in.html")
		t.Run(filepath.Base(name), func(t *testing.T) {
			content, err := os.ReadFile(in)
			if err != nil {
				t.Fatal(err)
			}
			document, warnings, err := transform(article(string(content)), instant.Options{})
			var told strings.Builder
			switch {
			case errors.Is(err, instant.ErrEmpty):
				fmt.Fprintln(&told, err)
			case err != nil:
				t.Fatal(err)
			default:
				for _, f := range validate.Document(document, validate.Options{}) {
					t.Errorf("not valid: %+v", f)
				}
			}
			for _, w := range warnings {
				fmt.Fprintf(&told, "%s | %s | %s | %s\n", w.Code, w.Place, w.Message, w.Markup)
			}
			_, rest, _ := strings.Cut(document, "<article>\n")
			rest, _, _ = strings.Cut(rest, "</article>")
			compareGolden(t, name+".out.html", rest)
			compareGolden(t, name+".warnings", told.String())
		})
	}
}

// compareGolden compares a text with a file. An empty text has no file.
func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		_ = os.Remove(file)
		if got != "" {
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	want, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}
