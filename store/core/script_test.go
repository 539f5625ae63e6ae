package core

import (
	"strings"
	"testing"
)

func TestFragmentsReplaceTheLinesThatNameThem(t *testing.T) {
	text := "local a = 1\n-- fragment count\n-- fragment of another kind\nreturn count(a)\n-- fragment count\n"
	want := strings.ReplaceAll(text, "-- fragment count\n", "local function count(n) return n end\n")
	if got := insertFragments(text, map[string]string{"count": "local function count(n) return n end\n"}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
