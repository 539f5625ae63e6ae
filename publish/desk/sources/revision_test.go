package sources_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestSourceIsChangedOnlyAsSeen(t *testing.T) {
	d, n := newDesk(t)
	path := "/api/v1/sources/" + feed.SourceID(storetest.Site)
	tag := func() string { return d.Call(http.MethodGet, path, "").Header().Get("ETag") }
	mine := tag()
	n.Clock.Advance(time.Minute)
	n.Polled(t, feed.SourceID(storetest.Site), feed.About{}, feed.PollState{LastPoll: n.Clock.Time, Status: 304}) // changes no setting
	rec := d.Call(http.MethodPost, "/api/v1/sources", `{"url":"`+storetest.Site+`","interval":"1h"}`, "If-Match", mine)
	if rec.Code != http.StatusOK {
		t.Fatalf("after a poll: %d %s", rec.Code, rec.Body)
	}
	for _, r := range []struct{ method, path, body string }{
		{"POST", "/api/v1/sources", `{"url":"` + storetest.Site + `","interval":"2h"}`}, {"POST", path + "/pause", ""}, {"DELETE", path, ""},
		{"POST", path + "/poll", ""}, {"POST", path + "/resume", ""},
	} {
		rec := d.Call(r.method, r.path, r.body, "If-Match", mine)
		if p := webtest.Read[feed.Problem](t, rec); rec.Code != http.StatusPreconditionFailed || webtest.ProblemKind(p) != "changed-since" {
			t.Errorf("%s %s as it was before: %d %+v", r.method, r.path, rec.Code, p)
		}
	}
	if s := stored(t, n, storetest.Site); s.Interval != time.Hour || s.Paused {
		t.Errorf("it is %+v", s)
	}
	if rec := d.Call(http.MethodPost, path+"/pause", "", "If-Match", tag()); rec.Code != http.StatusOK {
		t.Errorf("as it is: %d", rec.Code)
	}
	if rec := d.Call(http.MethodDelete, path, "", "If-Match", "*"); rec.Code != http.StatusNoContent {
		t.Errorf("as long as there is one: %d", rec.Code)
	}
	if rec := d.Call(http.MethodPost, "/api/v1/sources", `{"url":"`+storetest.Site+`"}`, "If-Match", mine); rec.Code != http.StatusPreconditionFailed {
		t.Errorf("what is not there: %d", rec.Code)
	}
}

// contested is a store in which someone else saves settings of Site, as often as times, just before a write.
type contested struct {
	*storetest.Newsroom
	times int
}

func (c *contested) AddSource(ctx context.Context, s feed.Source) (feed.Source, bool, error) {
	if err := c.interfere(ctx); err != nil {
		return s, false, err
	}
	return c.Newsroom.AddSource(ctx, s)
}

func (c *contested) SetPaused(ctx context.Context, id string, paused bool, revision int) error {
	if err := c.interfere(ctx); err != nil {
		return err
	}
	return c.Newsroom.SetPaused(ctx, id, paused, revision)
}

func (c *contested) interfere(ctx context.Context) error {
	if c.times == 0 {
		return nil
	}
	c.times--
	theirs, err := c.Source(ctx, feed.SourceID(storetest.Site))
	if err == nil {
		theirs.Publish, theirs.IgnoreUpdates = feed.PublishManual, !theirs.IgnoreUpdates
		_, _, err = c.Newsroom.AddSource(ctx, theirs)
	}
	return err
}

func TestSourceThatChangesBeforeThePauseIsNotPaused(t *testing.T) {
	store := &contested{Newsroom: storetest.NewNewsroom(t)}
	d, path := deskOver(store.Newsroom, store), "/api/v1/sources/"+feed.SourceID(storetest.Site)
	tag := d.Call(http.MethodGet, path, "").Header().Get("ETag")
	store.times = 1
	rec := d.Call(http.MethodPost, path+"/pause", "", "If-Match", tag)
	if s := stored(t, store.Newsroom, storetest.Site); rec.Code != http.StatusPreconditionFailed || s.Paused {
		t.Errorf("got %d; it is %+v", rec.Code, s)
	}
}

func TestSettingsOfTwoPeopleAreBothKept(t *testing.T) {
	store := &contested{storetest.NewNewsroom(t), 2}
	d, body := deskOver(store.Newsroom, store), `{"url":"`+storetest.Site+`","interval":"2h"}`
	rec := d.Call(http.MethodPost, "/api/v1/sources", body)
	s := stored(t, store.Newsroom, storetest.Site)
	if rec.Code != http.StatusOK || s.Publish != feed.PublishManual || s.Interval != 2*time.Hour {
		t.Errorf("got %d; it is %s every %v", rec.Code, s.Publish, s.Interval)
	}
	tag := d.Call(http.MethodGet, "/api/v1/sources/"+s.ID, "").Header().Get("ETag")
	store.times = 1
	if rec := d.Call(http.MethodPost, "/api/v1/sources", body, "If-Match", tag); rec.Code != http.StatusPreconditionFailed {
		t.Errorf("on a condition: %d", rec.Code)
	}
}
