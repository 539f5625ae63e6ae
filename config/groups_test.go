package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
)

func TestGroupsHaveRules(t *testing.T) {
	c := mustLoad(t, `
groups:
  sport: [category:sport, "source:https://A.example.org/feed", 'title: world  cup']
  a.b: author:Ann Lee
`, nil)
	want := feed.RuledGroups{
		{Name: "sport", Rules: []feed.GroupRule{{Prefix: "category", Value: "sport"}, {Prefix: "source", Value: "https://a.example.org/feed"}, {Prefix: "title", Value: "world cup"}}},
		{Name: "a.b", Rules: []feed.GroupRule{{Prefix: "author", Value: "Ann Lee"}}},
	}
	if diff := cmp.Diff(want, c.Groups); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	shown := ""
	for _, s := range c.Settings() {
		if strings.HasPrefix(s.Key, "groups.") {
			shown += fmt.Sprintln(s.Key, s.Value, strings.HasSuffix(s.Origin, ":3") || strings.HasSuffix(s.Origin, ":4"))
		}
	}
	if want := "groups.sport [category:sport, source:https://a.example.org/feed, title:world cup] true\ngroups.a.b [author:Ann Lee] true\n"; shown != want {
		t.Errorf("the settings are\n%s", shown)
	}
}

func TestRulesThatCannotWorkAreRefusedWithTheirPlace(t *testing.T) {
	for rule, want := range map[string]string{
		"categry:sport":  `:2:11: groups.sport: there is no prefix "categry"; did you mean category?`,
		"tag:sport":      "use one of author, category, source, title",
		"sport":          "is not a rule",
		"'category:'":    "is not a rule",
		"source:harbour": "groups.sport: ",
	} {
		_, err := load(t, "groups:\n  sport: ["+rule+"]\n", nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), ":2:11: ") {
			t.Errorf("%s: got %v, want %q", rule, err, want)
		}
	}
	for _, name := range []string{"Sport", "time", "hot", "a:b"} {
		_, err := load(t, "groups:\n  \""+name+"\": [category:sport]\n", nil)
		if err == nil || !strings.Contains(err.Error(), ":2:3: groups: ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for text, want := range map[string]string{
		"groups: [sport]": "not a block of groups", "group: {sport: category:x}": "did you mean groups?",
		"groups: {sport: [" + strings.Repeat("category:x, ", 33) + "]}": "use at most 32", "groups: {" + many(101) + "}": "use at most 100",
	} {
		if _, err := load(t, text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: got %v, want %q", text, err, want)
		}
	}
}

// many returns groups with a rule.
func many(count int) string {
	var all []string
	for i := range count {
		all = append(all, fmt.Sprintf("g%d: category:x", i))
	}
	return strings.Join(all, ", ")
}
