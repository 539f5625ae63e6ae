package readers_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"

	"github.com/feedwire/feedwire/publish/readers"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// failingReads is a store that returns err instead of what a user has saved.
type failingReads struct {
	*storetest.Newsroom
	err error
}

func (f *failingReads) Saved(ctx context.Context, user int64, after feed.Cursor, limit int) (feed.TimelinePage, error) {
	if f.err != nil {
		return feed.TimelinePage{}, f.err
	}
	return f.Newsroom.Saved(ctx, user, after, limit)
}

func TestChangeEndsCopiesOfWhatItChanges(t *testing.T) {
	a := newApp(t)
	a.send(201, "PUT", site, `{}`)
	n := a.read(10)[0]
	store := &failingReads{Newsroom: a.Newsroom}
	a.Mount(readers.New(store, a.Kit, readers.Options{}))
	for name, change := range map[string]func(){
		"save":   func() { a.send(204, "PUT", "/saved/"+n, "") },
		"unsave": func() { a.send(204, "DELETE", "/saved/"+n, "") },
		"mark":   func() { a.send(204, "POST", "/read", `{"all": true}`) },
		"tag":    func() { a.edit([]string{n}, "%d", "starred", "") },
		"mark all in an app": func() {
			a.call(http.StatusOK, "/reader/api/0/mark-all-as-read", url.Values{"T": {"x"}, "s": {"user/-/state/com.google/reading-list"}})
		},
	} {
		store.err = nil
		a.send(200, "GET", "/saved", "")
		store.err = feed.ErrUnavailable
		a.send(200, "GET", "/saved", "") // the copy
		change()
		if rec := a.Call(http.MethodGet, "/api/v1/me/saved", ""); rec.Code != http.StatusServiceUnavailable {
			t.Errorf("after %s: the copy from before is served: %d", name, rec.Code)
		}
	}
}
