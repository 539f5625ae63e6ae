package daemon

import (
	"fmt"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/publish/instant/validate"
)

// The table of docs/reference/validator.md is what the validator checks, in its order and words.
func TestRequirementsAreDocumented(t *testing.T) {
	t.Parallel()
	_, got, found := strings.Cut(wiretest.ReadFile(t, "docs/reference/validator.md"), "| rule | severity | requirement | remedy |\n|---|---|---|---|\n")
	if !found {
		t.Fatal("docs/reference/validator.md has no table of requirements")
	}
	var want strings.Builder
	for _, r := range validate.Requirements() {
		fmt.Fprintf(&want, "| `%s` | %s | %s | %s |\n", r.ID, r.Severity, r.Text, r.Remedy)
	}
	if got != want.String() {
		t.Errorf("the table should be:\n%s", want.String())
	}
}
