package ingest_test

import (
	"strings"
	"testing"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/store/feed"
)

func TestEveryClassHasAWayOut(t *testing.T) {
	for _, c := range feed.FailureClasses() {
		text := ingest.Explained(feed.Failf(c, "it failed")).Error()
		if way, ok := strings.CutPrefix(text, "it failed; "); !ok || len(way) < 20 {
			t.Errorf("%s: got %q", c, text)
		}
	}
}
