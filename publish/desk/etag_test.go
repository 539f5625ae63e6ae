package desk_test

import (
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
