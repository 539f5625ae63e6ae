package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/instant"
)

// The table of docs/validator.md is what the validator checks, in its order and words.
func TestRequirementsAreDocumented(t *testing.T) {
	_, got, found := strings.Cut(readDoc(t, "docs/validator.md"), "| rule | severity | requirement | remedy |\n|---|---|---|---|\n")
	if !found {
		t.Fatal("docs/validator.md has no table of requirements")
	}
	var want strings.Builder
	for _, r := range instant.Requirements() {
		fmt.Fprintf(&want, "| `%s` | %s | %s | %s |\n", r.ID, r.Severity, r.Text, r.Remedy)
	}
	if got != want.String() {
		t.Errorf("the table should be:\n%s", want.String())
	}
}
