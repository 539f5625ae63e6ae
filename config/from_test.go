package config_test

import (
	"strings"
	"testing"
)

func TestFeedsTakeTheFirstEntriesOfAList(t *testing.T) {
	c := mustLoad(t, `
feeds:
  partner:
    profile: smartnews
    from: list:sport
  twin:
    twin_of: partner
  short: {from: "list:score", top: 3}
`, nil)
	for i, want := range []struct {
		list string
		top  int
	}{{"sport", 10}, {"sport", 10}, {"score", 3}} {
		if f := c.Feeds[i]; f.List() != want.list || f.Top != want.top {
			t.Errorf("feed %s has the first %d of %q, want %+v", f.Type, f.Top, f.List(), want)
		}
	}
	_, err := load(t, "feeds:\n  partner:\n    title: Sport\n    top: 5\n", nil)
	if err == nil || !strings.Contains(err.Error(), ":4") || !strings.Contains(err.Error(), "set from, like list:sport, or remove top") {
		t.Errorf("top without from: got %v", err)
	}
	for value, want := range map[string]string{
		"sport": "like list:sport", `"list:"`: "is not a list", "list:Sport": "is not a list", "list:sport\n    top: 0": "1 to 100",
	} {
		_, err := load(t, "feeds:\n  partner:\n    from: "+value+"\n", nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", value, err, want)
		}
	}
}
