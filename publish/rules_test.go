package publish_test

import (
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/publish/instant/rulesfile"
)

func rulesFor(t *testing.T, class string) *rulesfile.Rules {
	t.Helper()
	set, warnings, err := rulesfile.Parse([]byte(`{"rules": [{"class": "` + class + `", "selector": "div.note"}]}`))
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	return set
}

func TestRulesOfASourcePrecedeThoseOfItsFeed(t *testing.T) {
	a := paper()[0]
	a.Content = `<p>Text.</p><div class="note">Mind the gap.</div>`
	for _, tt := range []struct {
		name string
		opts publish.Options
		want string
	}{
		{"no rules", publish.Options{}, "<p>Mind the gap.</p>"},
		{"of the feed", publish.Options{FeedRules: map[string]*rulesfile.Rules{"news": rulesFor(t, "H2Rule")}}, "<h2>Mind the gap.</h2>"},
		{"of another feed", publish.Options{FeedRules: map[string]*rulesfile.Rules{"other": rulesFor(t, "H2Rule")}}, "<p>Mind the gap.</p>"},
		{"of the source", publish.Options{
			FeedRules:   map[string]*rulesfile.Rules{"news": rulesFor(t, "H2Rule")},
			SourceRules: map[string]*rulesfile.Rules{a.FeedURL: rulesFor(t, "BlockquoteRule")},
		}, "<blockquote>Mind the gap.</blockquote>"},
		{"of another source", publish.Options{
			FeedRules:   map[string]*rulesfile.Rules{"news": rulesFor(t, "H2Rule")},
			SourceRules: map[string]*rulesfile.Rules{"https://other.example/feed": rulesFor(t, "BlockquoteRule")},
		}, "<h2>Mind the gap.</h2>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if document, _ := edition(t, harbourFeed(""), "news", tt.opts, a); !strings.Contains(document, tt.want) {
				t.Errorf("no %s in\n%s", tt.want, document)
			}
		})
	}
}

func TestDevelopmentTwinHasNoTags(t *testing.T) {
	for original, want := range map[string]bool{"": true, "production": false} {
		f := harbourFeed("instant-articles")
		f.TwinOf = original
		document, _ := edition(t, f, "news", publish.Options{}, paper()...)
		if got := strings.Contains(document, `<meta property="op:tags"`); got != want {
			t.Errorf("twin of %q: names tags: %v, want %v", original, got, want)
		}
	}
}

func TestDatesWithoutAZoneAreInThatOfTheFeed(t *testing.T) {
	set, _, err := rulesfile.Parse([]byte(`{"rules": [{"class": "GlobalRule", "selector": "div", "properties": {
		"article.publish": {"type": "date", "selector": "i", "format": "Y-m-d H:i"}, "article.body": {"type": "element", "selector": "p"}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	a := paper()[0]
	a.Content = `<div><i>2026-07-07 00:30</i><p>Text</p></div>`
	for zone, want := range map[string]string{"": "2026-07-07T00:30:00Z", "Asia/Tokyo": "2026-07-06T15:30:00Z"} {
		f := harbourFeed("")
		f.TimeZone = zone
		document, _ := edition(t, f, "news", publish.Options{FeedRules: map[string]*rulesfile.Rules{"news": set}}, a)
		if !strings.Contains(document, `class="op-published" datetime="`+want+`"`) {
			t.Errorf("in %q: no %s in\n%s", zone, want, document)
		}
	}
}
