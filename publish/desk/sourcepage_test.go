package desk_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// sourcePath is the page of a source that stays as it is.
func sourcePath(url string) string { return "/sources/" + feed.SourceID(url) + "?refresh=off" }

func TestSourcePageTellsHowItGoesAndWhy(t *testing.T) {
	store := wire()
	s := store.sources[feed.SourceID(siteURL)]
	s.Poll.ETag, s.Poll.Validated, s.Poll.Identity = `W/"7"`, "https://cdn.example/feed", feed.IdentityLink
	s.Poll.LastDocument = noon.Add(-2 * time.Hour)
	s.Poll.Move = feed.Move{To: "https://www.site.example/feed.xml", Seen: 3}
	s.Push = feed.Push{
		State: feed.PushActive, Hub: "https://hub.example/", Topic: siteURL, LeaseEnd: noon.Add(50 * time.Hour), LastPush: noon.Add(-time.Hour),
		Pushes: 41, Missed: 2,
	}
	s.Filters.Keep = []feed.Filter{{Field: "title", Match: "ferry"}}
	s.Request = feed.Request{Headers: map[string]string{"X-Key": "s3cret"}, Username: "ann", Password: "s3cret", Proxy: "http://u:s3cret@p.example/"}
	s.Polls = []feed.Poll{
		{Time: noon.Add(-12 * time.Second), Status: 304, DurationMS: 80}, {Time: noon.Add(-time.Hour), Class: "dns"},
		{Time: noon.Add(-2 * time.Hour), Status: 200, New: 3},
	}
	store.sources[s.ID] = s
	opts := options()
	opts.OpenPages = anyone
	opts.Pace = func(s *feed.Source) []feed.PaceRule {
		return []feed.PaceRule{{Name: feed.RuleRate, Text: "about 3 posts a day", Every: feed.Duration(84 * time.Minute)}, {Name: feed.RuleSkipped, Text: "Sunday"}}
	}
	opts.Republished = func(id string) []string { return []string{"https://wire.example/sources/" + id + "/feed.rss"} }
	html := call(store, opts, http.MethodGet, sourcePath(siteURL), "", "Authorization", "").Body.String()
	for _, want := range []string{
		"<title>The Harbour Post – feedwire</title>", "OK: polled 12 s ago, next in 14 min.",
		`aria-label="last 3 polls: 1 with changes, 1 failed"`, "not modified (304)", ">dns<", "changes (200)",
		"Posting rate", "about 3 posts a day", "1 h 24 min", "Skipped times", `Next poll <b><time datetime="2026-11-20T12:14:00Z"`,
		"active: the hub pushes", "https://hub.example/", "22 Nov 14:00", ">41<", "Entries found by polls first",
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

func TestSourcePageTellsTheTroubleAndTheWayOut(t *testing.T) {
	store := wire()
	for _, tt := range []struct {
		url  string
		want []string
	}{
		{slowURL, []string{"Failing: 3 polls in a row", "Reason: no answer within 30 s", "What to do: feedwire retries; if the server", "retry after error 3"}},
		{goneURL, []string{"Gone: the server removed the feed permanently", "What to do: the site has removed the feed"}},
		{pauseURL, []string{"Paused: not polled", "feedwire source resume " + feed.SourceID(pauseURL), "has no hub"}},
	} {
		html := page(t, store, sourcePath(tt.url))
		for _, want := range tt.want {
			if !strings.Contains(html, want) {
				t.Errorf("the page of %s does not say %q", tt.url, want)
			}
		}
	}
	if html := page(t, store, sourcePath(pauseURL)); strings.Contains(html, "Next poll") {
		t.Error("a paused source is said to be polled")
	}
}

func TestSourcePageOfNothingAndOfNoStore(t *testing.T) {
	opts := options()
	opts.OpenPages = anyone
	for _, path := range []string{"/sources/000000000000", "/sources/nonsense"} {
		rec := call(wire(), opts, http.MethodGet, path, "")
		if rec.Code != http.StatusNotFound || !strings.Contains(rec.Body.String(), "This source does not exist") {
			t.Errorf("%s: got %d", path, rec.Code)
		}
	}
	store := wire()
	store.err = fmt.Errorf("dial redis.internal: %w", feed.ErrUnavailable)
	rec := call(store, opts, http.MethodGet, sourcePath(siteURL), "")
	if rec.Code != http.StatusServiceUnavailable || strings.Contains(rec.Body.String(), "redis.internal") {
		t.Errorf("got %d:\n%s", rec.Code, rec.Body)
	}
	if rec := call(wire(), options(), http.MethodGet, sourcePath(siteURL), "", "Authorization", ""); rec.Code != http.StatusSeeOther {
		t.Errorf("without signing in: got %d", rec.Code)
	}
}

func TestListLeadsToEachSource(t *testing.T) {
	store := wire()
	html := page(t, store, "/sources")
	for id := range store.sources {
		if !strings.Contains(html, `href="/sources/`+id+`"`) {
			t.Errorf("no link to %s", store.sources[id].URL)
		}
	}
}

func TestSourcePageEscapesEveryField(t *testing.T) {
	const attack = `"><script>alert(1)</script><a href='javascript:alert(2)'>`
	store := newFakeStore()
	s := feed.Source{
		ID: "0123456789ab", URL: "javascript:alert(3)//" + attack, Feeds: []string{attack}, Categories: []string{attack},
		About: feed.About{Title: attack, Link: "javascript:alert(4)" + attack, Language: attack},
		Poll: feed.PollState{
			Errors: 5, ErrorClass: attack, ErrorText: attack, NextReason: attack, NextPoll: noon.Add(time.Hour), ETag: attack, LastModified: attack,
			Validated: attack, Move: feed.Move{To: "javascript:alert(5)" + attack, Seen: 1},
		},
		Push:    feed.Push{State: attack, Hub: attack, Topic: attack, ErrorText: attack},
		Request: feed.Request{Headers: map[string]string{attack: attack}, Username: attack, Proxy: attack},
		Filters: feed.Filters{Keep: []feed.Filter{{Field: attack, Match: attack}}, Block: []feed.Filter{{Field: attack, Match: attack}}},
		Polls:   []feed.Poll{{Time: noon, Class: attack}},
	}
	store.sources[s.ID] = s
	store.entries = []feed.Entry{{FeedURL: s.URL, Title: attack, Link: "javascript:alert(6)" + attack, Timestamp: noon}}
	opts := options()
	opts.OpenPages = anyone
	opts.Pace = func(*feed.Source) []feed.PaceRule { return []feed.PaceRule{{Name: attack, Text: attack}} }
	html := call(store, opts, http.MethodGet, "/sources/"+s.ID, "", "Authorization", "").Body.String()
	if holdsScript(html) || strings.Contains(html, "<a href='") {
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

func TestSourceOfTheAPITellsWayOutAndPace(t *testing.T) {
	store := wire()
	opts := options()
	opts.Pace = func(*feed.Source) []feed.PaceRule {
		return []feed.PaceRule{{Name: feed.RuleFloor, Text: "15m", Every: feed.Duration(time.Hour)}}
	}
	body := call(store, opts, http.MethodGet, "/api/v1/sources/"+feed.SourceID(slowURL), "").Body.String()
	for _, want := range []string{`"advice":"feedwire retries; `, `"pace":[{"name":"floor","text":"15m","every":"1h0m0s"}]`} {
		if !strings.Contains(body, want) {
			t.Errorf("the API does not say %s: %s", want, body)
		}
	}
}
