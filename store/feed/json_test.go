package feed_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func fullEntry() feed.Entry {
	return feed.Entry{
		ID: "Entry:5", FeedURL: "https://example.org/feed", GUID: "g", Timestamp: noon, Title: "T", Link: "https://example.org/1",
		Content: "<p>text</p>", Summary: "s", Authors: []string{"Ann", "Bo"}, Published: noon, Updated: noon.Add(time.Minute),
		Extra: map[string]string{"category": "news"},
	}
}

func fullSource() feed.Source {
	return feed.Source{
		ID: feed.SourceID("https://example.org/feed"), URL: "https://example.org/feed", Feeds: []string{"production"},
		Publish: feed.PublishAuto, Interval: 90 * time.Minute, Paused: true, Added: noon,
		Request:    feed.Request{Timeout: time.Minute, MinInterval: time.Hour, Username: "u", Proxy: "direct"},
		Filters:    feed.Filters{Keep: []feed.Filter{{Field: "title", Match: "a"}}, Block: []feed.Filter{{Field: "any", Match: "b"}}},
		Categories: []string{"News/Tech"},
		About:      feed.About{Title: "Example", Description: "d", Link: "https://example.org/", Language: "en"},
		Poll: feed.PollState{
			ETag: `"1"`, LastModified: "Fri, 20 Nov 2026 12:00:00 GMT", BodySum: "00ff", LastPoll: noon, LastOK: noon,
			LastDocument: noon, Entries: 8, NextPoll: noon.Add(time.Hour), NextReason: "interval", Status: 404, Errors: 3,
			ErrorClass: "http_4xx", ErrorText: "the server said 404", Gone: true,
			GoneSince: noon, FailingSince: noon, Validated: "https://example.org/moved", LastFull: noon, Generation: 1,
			Move:  feed.Move{To: "https://example.org/moved", Since: noon, Seen: 5, Adopted: noon, Checked: noon},
			Rate:  feed.Rate{Posts: 1.5, Hours: 20},
			Hints: feed.Hints{Interval: feed.Duration(time.Hour), SkipHours: 3, SkipDays: 1}, Identity: feed.IdentityLink,
		},
		Polls: []feed.Poll{{Time: noon, DurationMS: 1000, Status: 200, New: 1, Modified: 2, Class: "x"}},
		Pace:  []feed.PaceRule{{Name: feed.RuleRate, Text: "about 3 posts a day", Every: feed.Duration(time.Hour)}},
		Push: feed.Push{
			State: feed.PushSilent, Hub: "https://hub.example/", Topic: "https://example.org/feed", Since: noon, LeaseEnd: noon,
			LastPush: noon, LastPing: noon, Pushes: 1, Refused: 2, Missed: 3, Errors: 4, ErrorText: "no",
		},
	}
}

func fullArticle() feed.Article {
	return feed.Article{
		UUID: feed.ArticleUUID("https://example.org/feed", "g"), FeedURL: "https://example.org/feed", GUID: "g", Entry: "Entry:5",
		Title: "T", Canonical: "https://example.org/1", Authors: []string{"Ann"}, Summary: "s", Content: "<p>text</p>",
		Digest: "d", Published: noon, Modified: noon, Updated: noon,
		Feeds: map[string]feed.Placement{"production": {
			State: feed.StateImported, Revision: 2, Published: noon, Imported: noon, Expired: noon, Withdrawn: noon,
			Impressions: []time.Time{noon, noon},
		}},
	}
}

func fullSignal() feed.Signal {
	post := fullEntry()
	return feed.Signal{
		ID: "1795176000000-0", Kind: feed.PostModified, FeedURL: post.FeedURL, GUID: post.GUID, Entry: post.ID, Digest: post.Digest(),
		Changed: map[string]feed.Change{"title": {From: "a", To: "b"}}, Time: noon, Post: &post,
	}
}

func TestJSONRoundTripKeepsEveryField(t *testing.T) {
	roundTrip(t, "signal", fullSignal())
	roundTrip(t, "entry", fullEntry())
	roundTrip(t, "article", fullArticle())
	roundTrip(t, "source", fullSource())
	roundTrip(t, "transition", feed.Transition{From: feed.StateUnpublished, To: feed.StatePublished, Revision: 1, Changed: true})
	roundTrip(t, "empty source", feed.Source{})
	roundTrip(t, "empty article", feed.Article{})
	roundTrip(t, "page", feed.Page[feed.Entry]{Items: []feed.Entry{fullEntry()}, Next: "n"})
	roundTrip(t, "counts", feed.Counts{
		Sources: map[feed.SourceState]int{feed.SourceActive: 2}, Inbox: 2, Entries: 3, Signals: 4,
		Articles: map[string]map[feed.State]int{"production": {feed.StatePublished: 1}},
	})
}

func TestJSONOfASourceHoldsNoSecret(t *testing.T) {
	src := feed.Source{Request: feed.Request{
		Headers: map[string]string{"X-Key": "s3cret"}, Username: "u", Password: "s3cret", Proxy: "http://u:s3cret@proxy.example/",
	}}
	b, err := json.Marshal(src)
	if err != nil || strings.Contains(string(b), "s3cret") || !strings.Contains(string(b), `"headers":["X-Key"]`) {
		t.Errorf("got %s, %v", b, err)
	}
}

func TestHostIsTheOneWhosePatienceIsUsedUp(t *testing.T) {
	for url, want := range map[string]string{
		"https://News.example.org/feed": "news.example.org",
		"http://news.example.org:8080/": "news.example.org",
		"http://127.0.0.1:8080/":        "127.0.0.1:8080",
		"http://[::1]:8080/":            "[::1]:8080",
		"http://10.1.2.3/":              "10.1.2.3",
		"http://8.8.8.8:81/":            "8.8.8.8",
		"http://localhost:81/":          "localhost:81",
		"http://intranet:81/":           "intranet:81",
		"::not a url::":                 "",
	} {
		if got := feed.Host(url); got != want {
			t.Errorf("%s: got %q, want %q", url, got, want)
		}
	}
}

func roundTrip[T any](t *testing.T, name string, want T) {
	t.Helper()
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var got T
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatalf("%s: %v in %s", name, err, b)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s is another one after the round trip (-want +got):\n%s\n%s", name, diff, b)
	}
}

func TestJSONUsesTheSeedsNames(t *testing.T) {
	for _, tt := range []struct {
		name string
		of   any
		want []string
	}{
		{"signal", fullSignal(), []string{`"kind":"post_modified"`, `"feed_url":`, `"changed":{"title":{"from":"a","to":"b"}}`, `"post":{"id":"Entry:5"`}},
		{"entry", fullEntry(), []string{`"guid":"g"`, `"timestamp":"2026-11-20T12:00:00Z"`, `"date_published":`, `"date_updated":`}},
		{"article", fullArticle(), []string{`"date_editorially_published":`, `"date_imported":`, `"impressions":[`}},
		{"source", fullSource(), []string{`"interval":"1h30m0s"`, `"state":"paused"`, `"poll":{"etag":"\"1\""`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, err := json.Marshal(tt.of)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if !strings.Contains(string(b), want) {
					t.Errorf("no %s in %s", want, b)
				}
			}
		})
	}
}

func TestJSONLeavesOutWhatIsEmpty(t *testing.T) {
	b, err := json.Marshal(feed.Signal{ID: "1-0", Kind: feed.FeedCreated, FeedURL: "https://example.org/"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(b), `{"id":"1-0","kind":"feed_created","feed_url":"https://example.org/"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	b, err = json.Marshal(feed.Source{ID: "0a1b", URL: "https://example.org/", Keep: feed.Keep{Entries: 5}})
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil {
		t.Fatal(err)
	}
	for name, value := range members {
		if text := strings.Trim(string(value), `"`); text == "" || text == "0s" {
			t.Errorf("an empty source has %s %s", name, value)
		}
	}
	if string(members["keep"]) != `{"entries":5}` {
		t.Errorf("got keep %s", members["keep"])
	}
}

func TestJSONSurvivesADateThatRFC3339CannotWrite(t *testing.T) {
	e := fullEntry()
	e.Published = time.Unix(1<<40, 0)
	b, err := json.Marshal([]feed.Entry{e})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), "date_published") {
		t.Errorf("an impossible date was written: %s", b)
	}
}

func TestJSONWritesTimesInUTC(t *testing.T) {
	local := noon.In(time.FixedZone("", 3600))
	for name, of := range map[string]any{
		"entry":         feed.Entry{Published: local},
		"state":         feed.PollState{LastPoll: local},
		"move":          feed.PollState{Move: feed.Move{Since: local}},
		"stored time":   feed.Placement{Published: feed.ParseTime(feed.FormatTime(local))},
		"with fraction": feed.Placement{Published: feed.ParseTime(feed.FormatTime(local) + ".000")},
	} {
		b, err := json.Marshal(of)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b), `"2026-11-20T12:00:00Z"`) {
			t.Errorf("%s: not in UTC: %s", name, b)
		}
	}
}

func TestStoredTimeThatRFC3339CannotWriteIsUnknown(t *testing.T) {
	for _, text := range []string{"1099511627776", "1099511627776.5", "-99999999999", "-99999999999.5", "1e300", "NaN", "soon", ""} {
		if at := feed.ParseTime(text); !at.IsZero() {
			t.Errorf("%q became %v", text, at)
		}
	}
}

func TestSourceRefusesAnIntervalThatIsNone(t *testing.T) {
	var s feed.Source
	if err := json.Unmarshal([]byte(`{"url":"https://example.org/","interval":"soon"}`), &s); !errors.Is(err, feed.ErrInvalid) {
		t.Errorf("got %v, want ErrInvalid", err)
	}
}

func TestCallbackShowsNoSecret(t *testing.T) {
	text, err := json.Marshal(feed.PushSubscription{Push: feed.Push{State: feed.PushActive}, Token: "TOKEN", Secret: "SECRET"})
	if err != nil || strings.Contains(string(text), "TOKEN") || strings.Contains(string(text), "SECRET") {
		t.Errorf("got %s, %v", text, err)
	}
}
