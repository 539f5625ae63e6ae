package parser_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/store/feed"
)

// identified reads a document of these items under a policy.
func identified(t *testing.T, policy feed.Identity, pushed bool, items ...string) parser.Parsed {
	t.Helper()
	raw := parser.Raw{Body: []byte(rss(strings.Join(items, ""))), URL: feedURL, Received: received, Identity: policy, Pushed: pushed}
	parsed, err := parser.Parse(raw, feedURL, 0)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func item(guid, link, title string) string {
	return "<item><guid>" + guid + "</guid><link>" + link + "</link><title>" + title + "</title></item>"
}

// guidsByTitle are the guids by title.
func guidsByTitle(p parser.Parsed) map[string]string {
	all := make(map[string]string)
	for _, e := range p.Document.Entries {
		all[e.Title] = e.GUID
	}
	return all
}

func TestPolicyDegradesWhereGUIDsDoNotTellEntriesApart(t *testing.T) {
	var many []string
	for i := range 60 {
		many = append(many, item(fmt.Sprint("g", i), fmt.Sprint("https://x.example/", i), fmt.Sprint("t", i)))
	}
	for name, c := range map[string]struct {
		policy feed.Identity
		pushed bool
		items  []string
		want   feed.Identity
	}{
		"good guids":               {"", false, []string{item("1", "/1", "a"), item("2", "/1", "b")}, feed.IdentityGUID},
		"one guid for all":         {"", false, []string{item("1", "/1", "a"), item("1", "/2", "b")}, feed.IdentityLink},
		"one guid and link":        {"", false, []string{item("1", "/1", "a"), item("1", "/1", "b")}, feed.IdentityText},
		"no guids":                 {"", false, []string{item("", "/1", "a"), item("", "/2", "b")}, feed.IdentityGUID},
		"no guids and one link":    {"", false, []string{item("", "/1", "a"), item("", "/1", "b")}, feed.IdentityText},
		"two of sixty":             {"", false, slices.Replace(slices.Clone(many), 0, 1, item("g1", "/0", "t0")), feed.IdentityGUID},
		"four of sixty":            {"", false, slices.Replace(slices.Clone(many), 0, 3, item("g4", "/0", "a"), item("g4", "/1", "b"), item("g4", "/2", "c")), feed.IdentityLink},
		"a push says nothing":      {"", true, []string{item("1", "/1", "a"), item("1", "/2", "b")}, feed.IdentityGUID},
		"good guids after bad":     {feed.IdentityLink, false, []string{item("1", "/1", "a"), item("2", "/2", "b")}, feed.IdentityLink},
		"good links after bad":     {feed.IdentityText, false, []string{item("1", "/1", "a"), item("2", "/2", "b")}, feed.IdentityText},
		"bad links after bad guid": {feed.IdentityLink, false, []string{item("1", "/1", "a"), item("2", "/1", "b")}, feed.IdentityText},
	} {
		if got := identified(t, c.policy, c.pushed, c.items...).Identity; got != c.want {
			t.Errorf("%s: told apart by %s, want %s", name, got, c.want)
		}
	}
}

func TestNamesDoNotDependOnTheOrder(t *testing.T) {
	for _, c := range []struct {
		policy feed.Identity
		items  []string
	}{
		{"", []string{item("1", "/1", "a"), item("1", "/2", "b"), item("1", "/3", "c")}},
		{"", []string{item("1", "/1", "a"), item("1", "/1", "b"), item("2", "/1", "c")}},
		{"", []string{item("", "/1", "a"), item("", "/1", "b"), item("", "", "c"), item("5", "/9", "d")}},
		{feed.IdentityLink, []string{item("1", "/1", "a"), item("2", "/2", "b"), item("", "", "c")}},
		{feed.IdentityText, []string{item("1", "/1", "a"), item("1", "/1", "b")}},
	} {
		first := guidsByTitle(identified(t, c.policy, false, c.items...))
		if len(first) != len(c.items) {
			t.Errorf("%s: %d names for %d entries: %v", c.items, len(first), len(c.items), first)
		}
		slices.Reverse(c.items)
		if diff := cmp.Diff(first, guidsByTitle(identified(t, c.policy, false, c.items...))); diff != "" {
			t.Errorf("the other way round (-first +second):\n%s", diff)
		}
	}
}

func TestEntriesOfOneGUIDLinkAndTitleAreOne(t *testing.T) {
	parsed := identified(t, "", false, item("1", "/1", "a"), item("1", "/1", "a"), item("2", "/2", "b"))
	if got := guidsByTitle(parsed); len(parsed.Document.Entries) != 2 || parsed.Identity != feed.IdentityGUID || got["a"] != "1" {
		t.Errorf("told apart by %s: %v", parsed.Identity, got)
	}
}

func TestSpellingsOfAnAddressAreOneAlias(t *testing.T) {
	alias := func(guid string) string {
		t.Helper()
		return identified(t, "", false, item(guid, "", "a")).Document.Entries[0].Aliases[0]
	}
	want := alias("http://www.x.example/2025/post/")
	for _, same := range []string{"https://x.example/2025/post", "HTTPS://X.example:443/2025/post?utm_source=feed", "https://x.example/2025/post#utm_medium=rss"} {
		if alias(same) != want {
			t.Errorf("%s has another alias", same)
		}
	}
	for _, other := range []string{"https://x.example/2025/Post", "https://x.example/2025/post?p=1", "https://x.example/2025/post#2", "x.example/2025/post"} {
		if alias(other) == want {
			t.Errorf("%s has the same alias", other)
		}
	}
	opaque := func(scheme string) string {
		return identified(t, "", false, `<item><guid isPermaLink="false">`+scheme+`://x.example/?p=1</guid></item>`).Document.Entries[0].Aliases[0]
	}
	if opaque("http") == opaque("https") {
		t.Error("guids that are no addresses were taken for one")
	}
}
