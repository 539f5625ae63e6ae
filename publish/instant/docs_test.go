package instant_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/publish/instant/rulesfile"
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

func TestEveryClassHasALayout(t *testing.T) {
	var names []string
	for _, c := range rulesfile.Classes {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, instant.LaidOut()); diff != "" {
		t.Errorf("classes of rules files (-) and layouts (+):\n%s", diff)
	}
}
