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

func TestRepeatedRequestBringsNoRemovedEntryBack(t *testing.T) {
	_, n := newDesk(t)
	s := &losing{Newsroom: n}
	d := webtest.Over(n, n.Clock.Now)
	d.Mount(entries.New(s, d.Kit, entries.Options{Takedown: func(take func() error) error { return take() }}))
	removeAll := func() {
		t.Helper()
		stored, err := n.Entries(t.Context(), notes, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range stored {
			call(t, d, http.MethodDelete, "/api/v1/entries/"+e.Number(), "", http.StatusNoContent)
		}
	}
	const once = "Idempotency-Key"
	call(t, d, http.MethodPost, all, `{"title": "A"}`, http.StatusCreated, once, "1")
	removeAll()
	call(t, d, http.MethodPost, all, `{"title": "A"}`, http.StatusCreated, once, "1") // the stored response

	s.lose = 1
	call(t, d, http.MethodPost, all, `{"title": "B"}`, http.StatusServiceUnavailable, once, "2")
	removeAll()
	call(t, d, http.MethodPost, all, `{"title": "B"}`, http.StatusConflict, once, "2")

	s.lose = 2
	bulk := `{"entries": [{"title": "C"}, {"title": "D"}, 7, {"guid": "e", "title": "E"}]}`
	call(t, d, http.MethodPost, all+"/bulk", bulk, http.StatusMultiStatus, once, "3")
	removeAll()
	call(t, d, http.MethodPost, all+"/bulk", bulk, http.StatusMultiStatus, once, "3")
	if diff := cmp.Diff([]string(nil), titles(t, n)); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}

	call(t, d, http.MethodPut, all+"/f", `{"title": "F"}`, http.StatusCreated)
	removeAll()
	call(t, d, http.MethodPut, all+"/f", `{"title": "F"}`, http.StatusPreconditionFailed, "If-Match", `"x"`)
	call(t, d, http.MethodPut, all+"/f", `{"title": "F"}`, http.StatusCreated, "If-None-Match", "*")
	call(t, d, http.MethodPut, all+"/g", `{"title": "G"}`, http.StatusCreated)
	call(t, d, http.MethodPost, all+"/expire", `{"keep": 1}`, http.StatusOK)
	call(t, d, http.MethodPut, all+"/f", `{"title": "F"}`, http.StatusCreated)
	call(t, d, http.MethodPut, all+"/f", `{"title": "F"}`, http.StatusOK)
	if diff := cmp.Diff([]string{"F", "G"}, titles(t, n)); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}
