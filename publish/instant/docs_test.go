package instant_test

import (
	"os"
	"strings"
	"testing"

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
