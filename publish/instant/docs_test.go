package instant_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/instant"
)

func TestWarningCodesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/transformer.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range instant.Codes() {
		if !strings.Contains(string(page), "| `"+code+"` |") {
			t.Errorf("docs/reference/transformer.md has no row for the code %s", code)
		}
	}
}

// Package rules proves that all of its classes are documented.
func TestDocumentedClassesHaveALayout(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/transformer.md")
	if err != nil {
		t.Fatal(err)
	}
	classes := slices.Sorted(slices.Values(regexp.MustCompile(`\b[A-Z]\w+Rule\b`).FindAllString(string(page), -1)))
	if diff := cmp.Diff(slices.Compact(classes), instant.Layouts()); diff != "" {
		t.Errorf("the classes with a layout differ from the documented ones (-documented +layout):\n%s", diff)
	}
}
