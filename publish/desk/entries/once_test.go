package entries_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/desk/entries"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// losing loses replies of the store to writes.
type losing struct {
	*storetest.Newsroom
	lose int // the write with this number, from 1
}

func (s *losing) SaveSeenEntry(ctx context.Context, e *feed.Entry, seen string) error {
	err := s.Newsroom.SaveSeenEntry(ctx, e, seen)
	if s.lose--; s.lose == 0 && err == nil {
		return feed.ErrUnavailable
	}
	return err
}

func TestRepeatedRequestCreatesNoSecondEntry(t *testing.T) {
	_, n := newDesk(t)
	s := &losing{Newsroom: n}
	d := webtest.Over(n, n.Clock.Now)
	d.Mount(entries.New(s, d.Kit, entries.Options{Takedown: func(take func() error) error { return take() }}))
	const once = "Idempotency-Key"
	for key, body := range map[string]string{"1": `{"title": "A"}`, "2": `{"guid": "b", "title": "B"}`} {
		s.lose = 1
		call(t, d, http.MethodPost, all, body, http.StatusServiceUnavailable, once, key)
		rec := call(t, d, http.MethodPost, all, body, http.StatusCreated, once, key)
		if e := webtest.Read[feed.Entry](t, rec); e.ID == "" || rec.Header().Get("Location") != "/api/v1/entries/"+e.Number() {
			t.Errorf("repeated: %+v", e)
		}
	}
	s.lose = 2
	bulk := `{"entries": [{"title": "C"}, {"title": "D"}, {"guid": "e", "title": "E"}]}`
	for range 2 {
		call(t, d, http.MethodPost, all+"/bulk", bulk, http.StatusMultiStatus, once, "3")
	}
	call(t, d, http.MethodPost, all+"/bulk", bulk, http.StatusMultiStatus, once, "4")
	call(t, d, http.MethodPost, all, `{"title": "A"}`, http.StatusCreated) // without a key, it is another entry
	counts := make(map[string]int)
	for _, title := range titles(t, n) {
		counts[title]++
	}
	if diff := cmp.Diff(map[string]int{"A": 2, "B": 1, "C": 2, "D": 2, "E": 1}, counts); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}
