package desk_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

// inOrder checks that texts stand in a page, one behind the other.
func inOrder(t *testing.T, html string, want ...string) {
	t.Helper()
	rest := html
	for _, text := range want {
		_, after, found := strings.Cut(rest, text)
		if !found {
			t.Errorf("the page does not say %q there:\n%.6000s", text, html)
			return
		}
		rest = after
	}
}

func TestSourcesShowThoseFirstThatNeedAPerson(t *testing.T) {
	html := page(t, wire(), "/sources")
	inOrder(t, html, "2 sources need attention.", `aria-current="true">all <span>4</span>`, "failing <span>1</span>",
		goneURL, "Новости гавани", "3 failures in a row", "Quiet Notes", "not polled while paused", "The Harbour Post")
	if html := page(t, newFakeStore(), "/sources"); !strings.Contains(html, "There are no sources yet.") || !strings.Contains(html, `href="/sources/add"`) {
		t.Errorf("the empty page does not lead on:\n%s", html)
	}
}

func TestSourcesAreFoundByTextAndState(t *testing.T) {
	for path, want := range map[string][]string{
		"/sources?q=HARBOUR":             {"The Harbour Post"},
		"/sources?q=гавани":              {"Новости гавани"},
		"/sources?q=development":         {"The Harbour Post"},
		"/sources?state=paused":          {"Quiet Notes"},
		"/sources?q=quiet&state=failing": {"No source matches."},
	} {
		html := page(t, wire(), path)
		for _, name := range []string{"The Harbour Post", "Новости гавани", "Quiet Notes", "No source matches."} {
			if strings.Contains(html, name) != slices.Contains(want, name) {
				t.Errorf("%s: %q is shown: %v", path, name, strings.Contains(html, name))
			}
		}
	}
}

func TestSourcesComeInPages(t *testing.T) {
	store := newFakeStore()
	for i := range 120 {
		s := feed.Source{URL: fmt.Sprintf("https://s%03d.example/", i), About: feed.About{Title: fmt.Sprintf("Source %03d", i)}}
		s.ID = feed.SourceID(s.URL)
		store.sources[s.ID] = s
	}
	seen, path := 0, "/sources?q=source"
	for path != "" {
		html := page(t, store, path)
		seen += strings.Count(html, `scope="row"`)
		next := regexp.MustCompile(`href="([^"]*)" rel="next"`).FindStringSubmatch(html)
		path = ""
		if next != nil {
			path = strings.ReplaceAll(next[1], "&amp;", "&")
		}
	}
	if seen != 120 {
		t.Errorf("the pages show %d sources", seen)
	}
	inOrder(t, page(t, store, "/sources?q=source&page=2"), `href="/sources?q=source" rel="prev"`, "51 to 100 of 120", `page=3`)
	if html := page(t, store, "/sources?page=9"); strings.Contains(html, `scope="row"`) {
		t.Error("a page behind the last one shows sources")
	}
}

// undo is the path of the form that a page has for what was done.
func undo(t *testing.T, html string) string {
	t.Helper()
	m := regexp.MustCompile(`action="([^"]*)"><input type="hidden" name="back" value="[^"]*"><button class="plain">Undo`).FindStringSubmatch(html)
	if m == nil {
		t.Fatalf("nothing can be undone:\n%.3000s", html)
	}
	return m[1]
}

func TestWhatIsDoneToASourceCanBeUndone(t *testing.T) {
	o := newOffice(t)
	b := o.in("ed", feed.RoleEditor)
	id := feed.SourceID(siteURL)
	do := func(path, back, want string) string {
		t.Helper()
		rec := b.send(http.MethodPost, path, url.Values{"back": {back}})
		if got := rec.Header().Get("Location"); rec.Code != http.StatusSeeOther || got != want {
			t.Fatalf("POST %s: %d to %s, want %s", path, rec.Code, got, want)
		}
		return b.gets(want, http.StatusOK)
	}
	html := do("/sources/"+id+"/pause", "/sources?q=harbour", "/sources?did=paused&q=harbour&to="+id)
	if !o.store.sources[id].Paused {
		t.Error("it is not paused")
	}
	do(undo(t, html), "/sources", "/sources?did=resumed&to="+id)
	if o.store.sources[id].Paused {
		t.Error("the pause is not undone")
	}
	html = do("/sources/"+id+"/remove", "", "/sources?did=removed&to="+id)
	if _, there := o.store.sources[id]; there {
		t.Error("it is not removed")
	}
	do(undo(t, html), "", "/sources/"+id+"?did=restored&to="+id)
	if _, there := o.store.sources[id]; !there {
		t.Error("the removal is not undone")
	}
	do("/sources/"+id+"/poll", "", "/sources/"+id+"?did=due&to="+id)
	do("/sources/poll", "/sources", "/sources?did=alldue")
	do("/sources/"+id+"/pause", "https://evil.example/", "/sources/"+id+"?did=paused&to="+id)
	do("/sources/"+id+"/pause", "//evil.example/", "/sources/"+id+"?did=paused&to="+id)
	if html := b.gets("/sources?did=paused&to=%22%3E%3Cscript%3E", 200); strings.Contains(html, "Undo") {
		t.Error("a way to undo is taken from nonsense")
	}
	var did []string
	for _, e := range o.signs.log {
		did = append(did, e.Action)
	}
	for _, want := range []string{"source_pause", "source_resume", "source_remove", "source_restore"} {
		if !slices.Contains(did, want) {
			t.Errorf("%s is not in the audit log: %v", want, did)
		}
	}
	if rec := b.send(http.MethodPost, "/sources/"+feed.SourceID(pauseURL)+"/poll", nil); rec.Code != http.StatusConflict {
		t.Errorf("a paused source is polled: %d", rec.Code)
	}
}

func TestReadersSeeNoButtons(t *testing.T) {
	o := newOffice(t)
	b := o.in("rea", feed.RoleViewer)
	for _, path := range []string{"/sources", "/sources/" + feed.SourceID(siteURL), "/subscriptions", "/dead-letters"} {
		html := b.gets(path, 200)
		if _, inside, _ := strings.Cut(html, "<main"); strings.Contains(inside, `method="post"`) || strings.Contains(inside, "/sources/add") {
			t.Errorf("%s offers a reader what it may not do", path)
		}
	}
}

// finder is options under which a page has feeds and a feed has entries.
func finder(found map[string][]feed.Candidate) deskOptions {
	opts := options()
	opts.Discover = func(_ context.Context, url string) ([]feed.Candidate, error) {
		if all, ok := found[url]; ok {
			return all, nil
		}
		return nil, errors.New("the name cannot be resolved; check its spelling")
	}
	opts.Peek = func(_ context.Context, url string) (feed.Document, error) {
		if strings.Contains(url, "down") {
			return feed.Document{}, errors.New("the server answered 503")
		}
		doc := feed.Document{About: feed.About{Title: "The Quay", Description: "News of ropes"}}
		for i := range 12 {
			doc.Entries = append(doc.Entries, feed.Entry{Title: fmt.Sprintf("Rope %d", i), Link: "https://quay.example/", Timestamp: noon})
		}
		return doc, nil
	}
	return opts
}

func TestSourceIsAddedFromAPageAfterItsEntriesWereSeen(t *testing.T) {
	o := newOffice(t, func(opts *deskOptions) {
		with := finder(map[string][]feed.Candidate{
			"quay.example": {{URL: "https://quay.example/a", Title: "All"}, {URL: "https://quay.example/comments", Title: "Comments"}},
			"one.example":  {{URL: "https://one.example/feed", Found: feed.FoundItself}},
			"none.example": nil,
		})
		opts.Discover, opts.Peek = with.Discover, with.Peek
	})
	b := o.in("ed", feed.RoleEditor)
	post := func(path string, status int, form url.Values) string {
		t.Helper()
		rec := b.send(http.MethodPost, path, form)
		if rec.Code != status {
			t.Fatalf("POST %s: %d %s", path, rec.Code, rec.Body)
		}
		return rec.Body.String() + rec.Header().Get("Location")
	}
	b.gets("/sources/add", 200)
	inOrder(t, post("/sources/find", 200, url.Values{"url": {"quay.example"}}), "2 feeds", "All", `value="https://quay.example/a"`, "Comments")
	preview := post("/sources/preview", 200, url.Values{"url": {"https://quay.example/a"}})
	inOrder(t, preview, "<h1>The Quay</h1>", "News of ropes", "Rope 11", "Rope 2", "and 2 more", `value="production" checked`)
	if strings.Contains(preview, "Rope 1<") {
		t.Error("the preview shows more than ten entries")
	}
	if _, there := o.store.sources[feed.SourceID("https://quay.example/a")]; there {
		t.Error("looking at it has added it")
	}
	to := post("/sources", 303, url.Values{
		"url": {"https://quay.example/a"}, "feed": {"development"}, "publish": {"auto"}, "interval": {"15m"}, "categories": {"News/Sea, Local,"},
	})
	id := feed.SourceID("https://quay.example/a")
	if to != "/sources/"+id+"?did=added" {
		t.Errorf("it goes on to %s", to)
	}
	s := o.store.sources[id]
	if !slices.Equal(s.Feeds, []string{"development"}) || s.Publish != feed.PublishAuto || s.Interval.String() != "15m0s" || !slices.Equal(s.Categories, []string{"News/Sea", "Local"}) {
		t.Errorf("added %+v", s)
	}
	inOrder(t, b.gets(to, 200), "Source added.")

	inOrder(t, post("/sources/find", 200, url.Values{"url": {"one.example"}}), "Newest entries", "Rope 11")
	for address, reason := range map[string]string{
		"none.example": "No feed found", "bad.example": "The name cannot be resolved; check its spelling.", " ": "Enter the address",
	} {
		html := post("/sources/find", 422, url.Values{"url": {address}})
		inOrder(t, html, reason, `value="`+address+`"`)
	}
	if to := post("/sources/preview", 303, url.Values{"url": {siteURL}}); to != "/sources/"+feed.SourceID(siteURL)+"?did=known" {
		t.Errorf("a known one leads to %s", to)
	}
	inOrder(t, post("/sources/preview", 200, url.Values{"url": {"https://down.example/"}}), "The feed cannot be fetched now. The server answered 503.", "You can add the feed nevertheless")
	inOrder(t, post("/sources", 422, url.Values{"url": {"https://quay.example/b"}, "feed": {"nothing"}, "publish": {"manual"}, "categories": {"X"}}),
		"There is no outgoing feed", `value="X"`)
}

func TestTraceIsShownStepByStep(t *testing.T) {
	o := newOffice(t, func(opts *deskOptions) {
		opts.Trace = func(_ context.Context, id string, _ bool) (feed.Trace, error) {
			after := feed.Source{ID: id, URL: siteURL, Poll: feed.PollState{NextPoll: noon}}
			return feed.Trace{
				Source: siteURL, Why: "conditional: it had an ETag", DurationMS: 1234, Document: "RSS 2.0 in utf-8", After: &after,
				Requests: []feed.TraceRequest{{URL: siteURL, Status: "200 OK", Sent: map[string]string{"User-Agent": "feedwire"}, TLS: "TLS 1.3",
					Addresses: []feed.TraceAddress{{Address: "192.0.2.1", Verdict: "connected"}}, Got: map[string]string{"ETag": `"7"`}}},
				Entries: []feed.TraceEntry{{GUID: "g", Title: "Ferry", Verdict: feed.VerdictNew, Why: "its guid is new"}},
			}, nil
		}
	})
	b := o.in("ed", feed.RoleEditor)
	rec := b.send(http.MethodPost, "/sources/"+feed.SourceID(siteURL)+"/trace", nil)
	inOrder(t, rec.Body.String(), "took 1 s", "The poll succeeded.", "RSS 2.0 in utf-8", "conditional: it had an ETag", "Request 1", "200 OK",
		"192.0.2.1", "connected", "TLS 1.3", "User-Agent", "ETag", "Ferry", "new", "its guid is new")
}
