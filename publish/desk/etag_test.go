package desk_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

func TestUnchangedAnswerIsNotSentAgain(t *testing.T) {
	store, opts := wire(), options()
	for _, path := range []string{
		"/api/v1/sources", "/api/v1/sources/" + feed.SourceID(siteURL), "/api/v1/articles/" + feed.ArticleUUID(siteURL, "post-1"),
		"/api/v1/feeds", "/api/v1/openapi.yaml",
	} {
		first := call(store, opts, http.MethodGet, path, "")
		tag := first.Header().Get("ETag")
		for _, given := range []string{tag, `"x", ` + tag, "W/" + tag, "*"} {
			rec := call(store, opts, http.MethodGet, path, "", "If-None-Match", given)
			if rec.Code != http.StatusNotModified || rec.Body.Len() > 0 || rec.Header().Get("ETag") != tag {
				t.Errorf("%s with %s: %d, ETag %s, %d bytes", path, given, rec.Code, rec.Header().Get("ETag"), rec.Body.Len())
			}
		}
		for _, given := range []string{`"x"`, "", strings.Trim(tag, `"`), tag[:len(tag)-2] + `"`} {
			if rec := call(store, opts, http.MethodGet, path, "", "If-None-Match", given); rec.Code != http.StatusOK {
				t.Errorf("%s with %q: %d", path, given, rec.Code)
			}
		}
	}
	path := "/api/v1/sources/" + feed.SourceID(siteURL)
	tag := call(store, opts, http.MethodGet, path, "").Header().Get("ETag")
	polled(t, store)
	if rec := call(store, opts, http.MethodGet, path, "", "If-None-Match", tag); rec.Code != http.StatusOK {
		t.Errorf("a source that was polled: %d", rec.Code)
	}
}

// polled polls the source of siteURL.
func polled(t *testing.T, store *fakeStore) {
	t.Helper()
	err := store.change(feed.SourceID(siteURL), 0, func(s *feed.Source) error {
		s.Poll.LastPoll = s.Poll.LastPoll.Add(time.Minute)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSourceIsChangedOnlyAsSeen(t *testing.T) {
	store, opts := wire(), options()
	path := "/api/v1/sources/" + feed.SourceID(siteURL)
	tag := func() string { return call(store, opts, http.MethodGet, path, "").Header().Get("ETag") }
	mine := tag()
	polled(t, store) // decides nothing
	rec := call(store, opts, http.MethodPost, "/api/v1/sources", `{"url":"`+siteURL+`","interval":"1h"}`, "If-Match", mine)
	if rec.Code != http.StatusOK {
		t.Fatalf("after a poll: %d %s", rec.Code, rec.Body)
	}
	for _, r := range []struct{ method, path, body string }{
		{"POST", "/api/v1/sources", `{"url":"` + siteURL + `","interval":"2h"}`}, {"POST", path + "/pause", ""}, {"DELETE", path, ""},
		{"POST", path + "/poll", ""}, {"POST", path + "/resume", ""},
	} {
		rec := call(store, opts, r.method, r.path, r.body, "If-Match", mine)
		if p := read[feed.Problem](t, rec); rec.Code != http.StatusPreconditionFailed || kindOf(p) != "changed-since" {
			t.Errorf("%s %s as it was before: %d %+v", r.method, r.path, rec.Code, p)
		}
	}
	if s := store.sources[feed.SourceID(siteURL)]; s.Interval != time.Hour || s.Paused {
		t.Errorf("it is %+v", s)
	}
	if rec := call(store, opts, http.MethodPost, path+"/pause", "", "If-Match", tag()); rec.Code != http.StatusOK {
		t.Errorf("as it is: %d", rec.Code)
	}
	if rec := call(store, opts, http.MethodDelete, path, "", "If-Match", "*"); rec.Code != http.StatusNoContent {
		t.Errorf("as long as there is one: %d", rec.Code)
	}
	if rec := call(store, opts, http.MethodPost, "/api/v1/sources", `{"url":"`+siteURL+`"}`, "If-Match", mine); rec.Code != http.StatusPreconditionFailed {
		t.Errorf("what is not there: %d", rec.Code)
	}
}

// contested is a store in which somebody else saves settings between a look and what follows.
type contested struct {
	*fakeStore
	times int
}

func (c *contested) AddSource(ctx context.Context, s feed.Source) (feed.Source, bool, error) {
	if c.times > 0 {
		c.times--
		theirs := c.sources[s.ID]
		theirs.Publish = feed.PublishManual
		if _, _, err := c.fakeStore.AddSource(ctx, theirs); err != nil {
			return feed.Source{}, false, err
		}
	}
	return c.fakeStore.AddSource(ctx, s)
}

// SetPaused lets somebody else save settings first, as AddSource does.
func (c *contested) SetPaused(ctx context.Context, id string, paused bool, edition int) error {
	theirs := c.sources[id]
	theirs.Publish = feed.PublishManual
	if _, _, err := c.fakeStore.AddSource(ctx, theirs); err != nil {
		return err
	}
	return c.fakeStore.SetPaused(ctx, id, paused, edition)
}

func TestSourceThatChangesBetweenLookAndPauseIsNotPaused(t *testing.T) {
	fake := wire()
	path := "/api/v1/sources/" + feed.SourceID(siteURL)
	body := `{"url":"` + siteURL + `","interval":"1h"}`
	if rec := call(fake, options(), http.MethodPost, "/api/v1/sources", body); rec.Code != 200 { // it has an edition from now on
		t.Fatal(rec.Body)
	}
	tag := call(fake, options(), http.MethodGet, path, "").Header().Get("ETag")
	rec := call(&contested{fake, 0}, options(), http.MethodPost, path+"/pause", "", "If-Match", tag)
	if rec.Code != http.StatusPreconditionFailed || fake.sources[feed.SourceID(siteURL)].Paused {
		t.Errorf("got %d; it is %+v", rec.Code, fake.sources[feed.SourceID(siteURL)])
	}
}

func TestSettingsOfTwoPeopleAreBothKept(t *testing.T) {
	fake := wire()
	body := `{"url":"` + siteURL + `","interval":"1h"}`
	if rec := call(fake, options(), http.MethodPost, "/api/v1/sources", body); rec.Code != 200 { // it has an edition from now on
		t.Fatal(rec.Body)
	}
	store := &contested{fake, 2}
	body = `{"url":"` + siteURL + `","interval":"2h"}`
	rec := call(store, options(), http.MethodPost, "/api/v1/sources", body)
	s := fake.sources[feed.SourceID(siteURL)]
	if rec.Code != http.StatusOK || s.Publish != feed.PublishManual || s.Interval != 2*time.Hour {
		t.Errorf("got %d; it is %s every %v", rec.Code, s.Publish, s.Interval)
	}
	store.times = 1
	tag := call(fake, options(), http.MethodGet, "/api/v1/sources/"+s.ID, "").Header().Get("ETag")
	if rec := call(store, options(), http.MethodPost, "/api/v1/sources", body, "If-Match", tag); rec.Code != http.StatusPreconditionFailed {
		t.Errorf("on a condition: %d", rec.Code)
	}
}
