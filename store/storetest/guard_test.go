package storetest

import (
	"os"
	"strings"
	"testing"
)

// The tests give feedwire's users the rights that operators are told to give.
func TestRightsAreThoseOfTheDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../docs/how-to/connect-redis.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, rights := range []string{userRights, watcherRights} {
		if !strings.Contains(string(text), " "+rights+"\n") {
			t.Errorf("docs/how-to/connect-redis.md does not name %s", rights)
		}
	}
}
