package cli

import (
	"strings"
	"testing"
)

func TestFollowChangeNeedsAFlag(t *testing.T) {
	t.Parallel()
	var stderr strings.Builder
	code := (&Program{Stderr: &stderr}).Run(t.Context(), "follow", "change", "4c0adcbee432", "--user", "ann")
	if code != ExitUsage || !strings.Contains(stderr.String(), "give --title, --folder or --muted") {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
}
