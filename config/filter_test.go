package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
)

func TestSourcesHaveFilters(t *testing.T) {
	c := mustLoad(t, `
sources:
  - url: https://a.example.org/
    keep: ['title=(?i)\bferry\b', "any=a, b"]
    block: author=^Bo$
`, nil)
	want := feed.Filters{
		Keep:  []feed.Filter{{Field: "title", Match: `(?i)\bferry\b`}, {Field: "any", Match: "a, b"}},
		Block: []feed.Filter{{Field: "author", Match: "^Bo$"}},
	}
	if diff := cmp.Diff(want, c.Sources[0].Filters); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFiltersThatCannotWorkAreRefusedWithTheirPlace(t *testing.T) {
	for filter, want := range map[string]string{
		"ferry":                  "field=expression",
		"'titel=a'":              "there is no field",
		"'title=[a'":             "missing closing ]",
		"'title='":               "empty",
		"'any=(abcdefgh){1000}'": "repeats too much",
	} {
		_, err := load(t, "sources:\n  - url: https://a.example.org/\n    keep: ["+filter+"]\n", nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), ":3:") {
			t.Errorf("%s: got %v, want %q with line 3", filter, err, want)
		}
	}
	var many []string
	for i := range 33 {
		many = append(many, fmt.Sprintf("any=%d", i))
	}
	_, err := load(t, "sources: [{url: https://a.example.org/, block: ["+strings.Join(many, ", ")+"]}]", nil)
	if err == nil || !strings.Contains(err.Error(), "at most 32") {
		t.Errorf("33 filters gave %v", err)
	}
}
