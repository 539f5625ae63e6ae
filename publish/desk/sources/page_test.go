package sources_test

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/desk/sources"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// sourcePath is the page of a source that stays as it is.
func sourcePath(url string) string { return "/sources/" + feed.SourceID(url) + "?refresh=off" }

func TestSourcePageShowsStateAndSettings(t *testing.T) {
	d, n := newDesk(t, func(opts *sources.Options) {
		opts.Pace = func(*feed.Source) []feed.PaceRule {
			return []feed.PaceRule{{Name: feed.RuleRate, Text: "about 3 posts a day", Every: feed.Duration(84 * time.Minute)}, {Name: feed.RuleSkipped, Text: "Sunday"}}
		}
		opts.Republished = func(id string) []string { return []string{"https://wire.example/sources/" + id + "/feed.rss"} }
	})
	s := stored(t, n, storetest.Site)
	s.Filters.Keep = []feed.Filter{{Field: "title", Match: "ferry"}}
	s.Request = feed.Request{Headers: map[string]string{"X-Key": "s3cret"}, Username: "ann", Password: "s3cret", Proxy: "http://u:s3cret@p.example/"}
	if _, _, err := n.AddSource(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	s.Poll.ETag, s.Poll.Validated, s.Poll.Identity = `W/"7"`, "https://cdn.example/feed", feed.IdentityLink
	s.Poll.LastDocument = webtest.Noon().Add(-2 * time.Hour)
	s.Poll.Findings = []feed.Finding{{Class: feed.FindingTitle, Count: 2, Text: "2 entries with a cut title"}}
	s.Poll.Move = feed.Move{To: "https://www.site.example/feed.xml", Seen: 3}
	n.Raw.Do("DEL", storetest.Site+":polls")
	n.Polled(t, s.ID, feed.About{}, s.Poll, feed.Poll{Time: webtest.Noon().Add(-2 * time.Hour), Status: 200, New: 1},
		feed.Poll{Time: webtest.Noon().Add(-time.Hour), Class: "dns"},
		feed.Poll{Time: webtest.Noon().Add(-12 * time.Second), Status: 304, DurationMS: 80})
	before, err := n.SourceCallback(t.Context(), storetest.Site)
	if err != nil {
		t.Fatal(err)
	}
	after := before
	after.Push = feed.Push{
		State: feed.PushActive, Hub: "https://hub.example/", Topic: storetest.Site, LeaseEnd: webtest.Noon().Add(50 * time.Hour),
		LastPush: webtest.Noon().Add(-time.Hour), Pushes: 41, Missed: 2,
	}
	if _, err := n.ReplaceCallback(t.Context(), before, after); err != nil {
		t.Fatal(err)
	}
	html := page(t, d, sourcePath(storetest.Site))
	for _, want := range []string{
		"<title>The Harbour Post – feedwire</title>", "OK: polled 12 s ago, next in 14 min.",
		`aria-label="last 3 polls: 1 with changes, 1 failed"`, "not modified (304)", ">dns<", "changes (200)",
		"Posting rate", "about 3 posts a day", "1 h 24 min", "Skipped times", `Next poll <b><time datetime="2026-11-20T12:14:00Z"`,
		"active: the hub pushes", "https://hub.example/", "22 Nov 14:00", ">41<", "Entries found by polls first",
		"Limit: 2 entries with a cut title.",
		"Ferry line to the islands opens a second pier", `href="https://site.example/post-1"`, "30 in the last document",
		"Redirects (permanent, seen 3 times)", "link: several entries had the same guid", "W/&#34;7&#34;", "Validators of", "https://cdn.example/feed",
		"title=ferry", "X-Key", "ann", "http://u:xxxxx@p.example/", "automatically", "feedwire source poll " + s.ID + " --trace",
		`href="https://wire.example/sources/` + s.ID + `/feed.rss"`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(html, "s3cret") {
		t.Error("the page shows a secret")
	}
	if strings.Contains(html, "http-equiv") {
		t.Error("the page goes on loading itself")
	}
}

func TestSourcePageDescribesTheFeed(t *testing.T) {
	about := feed.About{
		Description: "All of the harbour", Authors: []feed.Person{{Name: "Ann Mast", URL: "https://site.example/ann"}}, Rights: "© Ann Mast",
		Categories: []feed.Category{{Term: "sea", Label: "The sea"}, {Term: "ships"}}, Image: "https://site.example/logo.png", Icon: "https://site.example/icon.png",
		Podcast: feed.Podcast{Owner: "Harbour Radio", OwnerEmail: "radio@site.example", Persons: []feed.Person{{Name: "Bo Keel", Role: "host"}}},
	}
	d := deskOver(storetest.EmptyNewsroom(t), &hostile{source: feed.Source{ID: "0123456789ab", URL: storetest.Site, About: about}})
	webtest.Contains(t, page(t, d, "/sources/0123456789ab"), "All of the harbour", `href="https://site.example/ann">Ann Mast<`, "© Ann Mast",
		"The sea, ships", `href="https://site.example/logo.png"`, `href="https://site.example/icon.png"`, "Harbour Radio radio@site.example", `Bo Keel</span> <span class="quiet" dir="auto">(host)<`)
}

func TestSourcePageShowsProblemAndAdvice(t *testing.T) {
	d, _ := newDesk(t)
	for _, tt := range []struct {
		url  string
		want []string
	}{
		{storetest.Slow, []string{"Failing: 3 polls in a row", "Reason: no answer within 30 s", "What to do: feedwire retries; if the server", "retry after error 3"}},
		{storetest.Gone, []string{"Gone: the server removed the feed permanently", "What to do: the site has removed the feed"}},
		{storetest.Paused, []string{"Paused: not polled", "feedwire source resume " + feed.SourceID(storetest.Paused), "has no hub"}},
	} {
		html := page(t, d, sourcePath(tt.url))
		for _, want := range tt.want {
			if !strings.Contains(html, want) {
				t.Errorf("the page of %s does not say %q", tt.url, want)
			}
		}
	}
	if html := page(t, d, sourcePath(storetest.Paused)); strings.Contains(html, "Next poll") {
		t.Error("a paused source is said to be polled")
	}
}

func TestSourcePageWithoutSourceOrStore(t *testing.T) {
	d, _ := newDesk(t)
	for _, path := range []string{"/sources/000000000000", "/sources/nonsense"} {
		rec := d.Call(http.MethodGet, path, "")
		if rec.Code != http.StatusNotFound || !strings.Contains(rec.Body.String(), "This source does not exist") {
			t.Errorf("%s: got %d", path, rec.Code)
		}
	}
	n := storetest.Unavailable(t)
	away := deskOver(n, n)
	rec := away.Call(http.MethodGet, sourcePath(storetest.Site), "")
	if rec.Code != http.StatusServiceUnavailable || strings.Contains(rec.Body.String(), "redis.internal") {
		t.Errorf("got %d:\n%s", rec.Code, rec.Body)
	}
	d.Visitor = feed.Visitor{}
	if rec := d.Call(http.MethodGet, sourcePath(storetest.Site), ""); rec.Code != http.StatusSeeOther {
		t.Errorf("an unknown visitor: got %d", rec.Code)
	}
}

// hostile is a store with one source and one entry.
type hostile struct {
	sources.Store
	source feed.Source
	entry  feed.Entry
}

func (h *hostile) SourceWithEntries(context.Context, string, int) (feed.Source, []feed.Entry, error) {
	return h.source, []feed.Entry{h.entry}, nil
}

func TestSourcePageEscapesEveryField(t *testing.T) {
	const attack = `"><script>alert(1)</script><a href='javascript:alert(2)'>`
	s := feed.Source{
		ID: "0123456789ab", URL: "javascript:alert(3)//" + attack, Feeds: []string{attack}, Categories: []string{attack},
		About: feed.About{
			Title: attack, Link: "javascript:alert(4)" + attack, Language: attack, Description: attack, Rights: attack,
			Authors: []feed.Person{{Name: attack, URL: "javascript:alert(7)"}}, Categories: []feed.Category{{Term: attack}},
			Image: "javascript:alert(8)" + attack, Icon: "javascript:alert(9)" + attack,
			Podcast: feed.Podcast{Owner: attack, Persons: []feed.Person{{Name: attack, Role: attack, URL: "javascript:alert(10)"}}},
		},
		Poll: feed.PollState{
			Errors: 5, ErrorClass: attack, ErrorText: attack, NextReason: attack, NextPoll: webtest.Noon().Add(time.Hour), ETag: attack, LastModified: attack,
			Validated: attack, Move: feed.Move{To: "javascript:alert(5)" + attack, Seen: 1},
		},
		Push:    feed.Push{State: attack, Hub: attack, Topic: attack, ErrorText: attack},
		Request: feed.Request{Headers: map[string]string{attack: attack}, Username: attack, Proxy: attack},
		Filters: feed.Filters{Keep: []feed.Filter{{Field: attack, Match: attack}}, Block: []feed.Filter{{Field: attack, Match: attack}}},
		Polls:   []feed.Poll{{Time: webtest.Noon(), Class: attack}},
	}
	e := feed.Entry{FeedURL: s.URL, Title: attack, Link: "javascript:alert(6)" + attack, Timestamp: webtest.Noon()}
	d := deskOver(storetest.EmptyNewsroom(t), &hostile{source: s, entry: e}, func(opts *sources.Options) {
		opts.Pace = func(*feed.Source) []feed.PaceRule { return []feed.PaceRule{{Name: attack, Text: attack}} }
	})
	html := page(t, d, "/sources/"+s.ID)
	if webtest.HoldsScript(html) || strings.Contains(html, "<a href='") {
		t.Error("markup of a source stands in the page")
	}
	for _, href := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if strings.HasPrefix(strings.ToLower(strings.TrimSpace(href[1])), "javascript:") {
			t.Errorf("a link runs a script: %s", href[0])
		}
	}
	if got := strings.Count(html, "&lt;script&gt;"); got < 20 {
		t.Errorf("the attack is shown %d times only: the page does not show the fields under test", got)
	}
}

func TestAPIReturnsAdviceAndPace(t *testing.T) {
	d, _ := newDesk(t, func(opts *sources.Options) {
		opts.Pace = func(*feed.Source) []feed.PaceRule {
			return []feed.PaceRule{{Name: feed.RuleFloor, Text: "15m", Every: feed.Duration(time.Hour)}}
		}
	})
	body := d.Call(http.MethodGet, "/api/v1/sources/"+feed.SourceID(storetest.Slow), "").Body.String()
	for _, want := range []string{`"advice":"feedwire retries; `, `"pace":[{"name":"floor","text":"15m","every":"1h0m0s"}]`} {
		if !strings.Contains(body, want) {
			t.Errorf("the API does not say %s: %s", want, body)
		}
	}
}

func TestLastPollsAreDrawnAndDescribed(t *testing.T) {
	d, n := emptyDesk(t)
	source := n.SetSource(t, feed.Source{URL: "https://a.example/"})
	polls := []feed.Poll{{Time: webtest.Noon(), Class: "dns"}, {Time: webtest.Noon(), Status: 200, New: 3}, {Time: webtest.Noon(), Status: 304}}
	n.Polled(t, source.ID, feed.About{}, feed.PollState{}, polls...)
	slices.Reverse(polls) // newest first
	html := page(t, d, "/sources/"+source.ID)
	for want, n := range map[string]int{
		"last 3 polls: 1 with changes, 1 failed": 2, `<rect class="bad"`: 2, `<rect class="news"`: 1, `<rect class="quiet" x="147"`: 1,
	} {
		if got := strings.Count(html, want); got != n {
			t.Errorf("%q is there %d times, want %d", want, got, n)
		}
	}
	if got := webtest.Get[feed.Source](t, d, "/api/v1/sources/"+source.ID); !cmp.Equal(got.Polls, polls) {
		t.Errorf("the API tells of %v", got.Polls)
	}
}
