package sources_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/desk/sources"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// finder sets options under which pages have feeds, and feeds have entries.
func finder(opts *sources.Options, found map[string][]feed.Candidate) {
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
			doc.Entries = append(doc.Entries, feed.Entry{Title: fmt.Sprintf("Rope %d", i), Link: "https://quay.example/", Timestamp: webtest.Noon()})
		}
		return doc, nil
	}
}

func TestSourceIsAddedFromAPageAfterItsEntriesWereSeen(t *testing.T) {
	d, n := newDesk(t, func(opts *sources.Options) {
		finder(opts, map[string][]feed.Candidate{
			"quay.example": {{URL: "https://quay.example/a", Title: "All"}, {URL: "https://quay.example/comments", Title: "Comments"}},
			"one.example":  {{URL: "https://one.example/feed", Found: feed.FoundItself}},
			"none.example": nil,
		})
	})
	b := d.As(t, "ed", feed.RoleEditor)
	post := func(path string, status int, form url.Values) string {
		t.Helper()
		rec := b.Send(http.MethodPost, path, form)
		if rec.Code != status {
			t.Fatalf("POST %s: %d %s", path, rec.Code, rec.Body)
		}
		return rec.Body.String() + rec.Header().Get("Location")
	}
	b.Get("/sources/add", 200)
	webtest.InOrder(t, post("/sources/find", 200, url.Values{"url": {"quay.example"}}), "2 feeds", "All", `value="https://quay.example/a"`, "Comments")
	preview := post("/sources/preview", 200, url.Values{"url": {"https://quay.example/a"}})
	webtest.InOrder(t, preview, "<h1>The Quay</h1>", "News of ropes", "Rope 11", "Rope 2", "and 2 more", `value="production" checked`)
	if strings.Contains(preview, "Rope 1<") {
		t.Error("the preview shows more than ten entries")
	}
	if stored(t, n, "https://quay.example/a").ID != "" {
		t.Error("looking at it has added it")
	}
	to := post("/sources", 303, url.Values{
		"url": {"https://quay.example/a"}, "feed": {"development"}, "publish": {"auto"}, "interval": {"15m"}, "categories": {"News/Sea, Local,"},
	})
	id := feed.SourceID("https://quay.example/a")
	if to != "/sources/"+id+"?did=added" {
		t.Errorf("it goes on to %s", to)
	}
	s := stored(t, n, "https://quay.example/a")
	if !slices.Equal(s.Feeds, []string{"development"}) || s.Publish != feed.PublishAuto || s.Interval.String() != "15m0s" || !slices.Equal(s.Categories, []string{"News/Sea", "Local"}) {
		t.Errorf("added %+v", s)
	}
	webtest.InOrder(t, b.Get(to, 200), "Source added.")

	webtest.InOrder(t, post("/sources/find", 200, url.Values{"url": {"one.example"}}), "Newest entries", "Rope 11")
	for address, reason := range map[string]string{
		"none.example": "No feed found", "bad.example": "The name cannot be resolved; check its spelling.", " ": "Enter the address",
	} {
		html := post("/sources/find", 422, url.Values{"url": {address}})
		webtest.InOrder(t, html, reason, `value="`+address+`"`)
	}
	if to := post("/sources/preview", 303, url.Values{"url": {storetest.Site}}); to != "/sources/"+feed.SourceID(storetest.Site)+"?did=known" {
		t.Errorf("a known one leads to %s", to)
	}
	webtest.InOrder(t, post("/sources/preview", 200, url.Values{"url": {"https://down.example/"}}), "The feed cannot be fetched now. The server answered 503.", "You can add the feed nevertheless")
	webtest.InOrder(t, post("/sources", 422, url.Values{"url": {"https://quay.example/b"}, "feed": {"nothing"}, "publish": {"manual"}, "categories": {"X"}}),
		"There is no outgoing feed", `value="X"`)
}

func TestDiscoverAnswersWithCandidates(t *testing.T) {
	asked := ""
	d, _ := newDesk(t, func(opts *sources.Options) {
		opts.Discover = func(_ context.Context, url string) ([]feed.Candidate, error) {
			asked = url
			switch url {
			case "https://bad.example/":
				return nil, errors.New("the host name could not be resolved; check it")
			case "https://none.example/":
				return nil, nil
			}
			return []feed.Candidate{{URL: "https://page.example/feed", Title: "F", Found: feed.FoundPage}}, nil
		}
	})
	for _, tt := range []struct {
		body   string
		status int
		want   string
	}{
		{`{"url":"https://page.example/"}`, http.StatusOK, `{"items":[{"url":"https://page.example/feed","title":"F","found":"page"}]}`},
		{`{"url":"https://none.example/"}`, http.StatusOK, `{"items":[]}`},
		{`{"url":"https://bad.example/"}`, http.StatusBadRequest, `"url","reason":"the host name could not be resolved`},
		{`{"url":" "}`, http.StatusBadRequest, "required"},
		{`{"link":"x"}`, http.StatusBadRequest, "this field does not exist"},
	} {
		rec := d.Call(http.MethodPost, "/api/v1/discover", tt.body)
		if rec.Code != tt.status || !strings.Contains(rec.Body.String(), tt.want) {
			t.Errorf("%s: got %d %s", tt.body, rec.Code, rec.Body)
		}
	}
	asked = ""
	rec := d.Call(http.MethodPost, "/api/v1/discover", `{"url":"`+strings.ToUpper(storetest.Site[:12])+storetest.Site[12:]+`"}`)
	if !strings.Contains(rec.Body.String(), `"found":"known"`) || asked != "" {
		t.Errorf("a known source: %s, asked for %q", rec.Body, asked)
	}
}
