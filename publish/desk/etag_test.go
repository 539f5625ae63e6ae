package desk_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestUnchangedAnswerIsNotSentAgain(t *testing.T) {
	n := storetest.NewNewsroom(t)
	d := newDesk(n)
	for _, path := range []string{
		"/api/v1/sources", "/api/v1/sources/" + feed.SourceID(storetest.Site), "/api/v1/articles/" + storetest.Post(1),
		"/api/v1/feeds", "/api/v1/openapi.yaml",
	} {
		first := d.call(http.MethodGet, path, "")
		tag := first.Header().Get("ETag")
		for _, given := range []string{tag, `"x", ` + tag, "W/" + tag, "*"} {
			rec := d.call(http.MethodGet, path, "", "If-None-Match", given)
			if rec.Code != http.StatusNotModified || rec.Body.Len() > 0 || rec.Header().Get("ETag") != tag {
				t.Errorf("%s with %s: %d, ETag %s, %d bytes", path, given, rec.Code, rec.Header().Get("ETag"), rec.Body.Len())
			}
		}
		for _, given := range []string{`"x"`, "", strings.Trim(tag, `"`), tag[:len(tag)-2] + `"`} {
			if rec := d.call(http.MethodGet, path, "", "If-None-Match", given); rec.Code != http.StatusOK {
				t.Errorf("%s with %q: %d", path, given, rec.Code)
			}
		}
	}
	path := "/api/v1/sources/" + feed.SourceID(storetest.Site)
	tag := d.call(http.MethodGet, path, "").Header().Get("ETag")
	n.Clock.Advance(time.Minute)
	n.Polled(t, feed.SourceID(storetest.Site), feed.About{}, feed.PollState{LastPoll: n.Clock.Time, Status: 304})
	if rec := d.call(http.MethodGet, path, "", "If-None-Match", tag); rec.Code != http.StatusOK {
		t.Errorf("a source that was polled: %d", rec.Code)
	}
}
