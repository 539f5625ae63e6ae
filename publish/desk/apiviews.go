package desk

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// viewRoutes adds the routes that answer what pages of their own show.
func (d *Desk) viewRoutes(mux *http.ServeMux) {
	mux.Handle("POST /api/v1/peek", d.act(sourceDiscover, d.peekAtFeed))
	mux.Handle("POST /api/v1/sources/{id}/restore", d.act(sourceRestore, d.restoreSource))
	mux.Handle("GET /api/v1/feeds/{type}/visits", d.read(d.listVisits))
	mux.Handle("GET /api/v1/signals/search", d.read(d.searchSignals))
	mux.Handle("GET /api/v1/signals/{signal}", d.read(d.oneSignal))
	mux.Handle("GET /api/v1/articles/{uuid}/history", d.read(d.showHistory))
	mux.Handle("POST /api/v1/undo/{id}", d.act(articleUndo, d.undo))
	mux.Handle("GET /api/v1/settings", d.read(d.listSettings))
}

// Peeked is the answer of POST /api/v1/peek.
type Peeked struct {
	About  feed.About   `json:"about"`
	Format string       `json:"format,omitempty"`
	Items  []feed.Entry `json:"items"` // the newest first, without content
}

// mostPeeked is how many entries are shown of a feed that is looked at.
const mostPeeked = 50

// peekAtFeed answers with what a feed has now; nothing is stored.
func (d *Desk) peekAtFeed(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		URL string `json:"url"`
	}
	if err := decode(w, r, &body); err != nil {
		return err
	}
	if strings.TrimSpace(body.URL) == "" {
		return wrong("url", "required: the address of a feed")
	}
	doc, err := d.opts.Peek(r.Context(), body.URL)
	if err != nil {
		return wrong("url", err.Error())
	}
	entries := slices.Clone(doc.Entries)
	slices.Reverse(entries)
	entries = entries[:min(mostPeeked, len(entries))]
	for i := range entries {
		entries[i].Content = ""
	}
	answer(w, http.StatusOK, Peeked{About: doc.About, Format: doc.Format, Items: append([]feed.Entry{}, entries...)})
	return nil
}

// restoreSource adds a source again that was removed in the last day.
func (d *Desk) restoreSource(w http.ResponseWriter, r *http.Request) error {
	source, err := d.restore(r)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/api/v1/sources/"+source.ID)
	answer(w, http.StatusCreated, source)
	return nil
}

// Visit is one item of GET /api/v1/feeds/{type}/visits.
type Visit struct {
	Time    time.Time `json:"time"`
	Client  string    `json:"client"`
	Status  int       `json:"status"`
	Counted bool      `json:"counted"` // its articles get an impression
}

func (d *Desk) listVisits(w http.ResponseWriter, r *http.Request) error {
	typ := r.PathValue("type")
	if !slices.Contains(d.types, typ) {
		return fmt.Errorf("outgoing feed %.64q: %w", typ, feed.ErrNotFound)
	}
	limit, err := number(r, "limit", defaultLimit, 1, feed.VisitsKept)
	if err != nil {
		return err
	}
	state, err := d.store.FeedState(r.Context(), typ, 0, limit)
	if err != nil {
		return err
	}
	visits := make([]Visit, len(state.Visits))
	for i, v := range state.Visits {
		visits[i] = Visit{v.Time.UTC(), v.Client, v.Status, v.Counted}
	}
	answer(w, http.StatusOK, list(visits, ""))
	return nil
}

func (d *Desk) listSettings(w http.ResponseWriter, _ *http.Request) error {
	answer(w, http.StatusOK, list(d.opts.Settings, ""))
	return nil
}

// replayLetters sends all dead letters again, and tells how many.
func (d *Desk) replayLetters(w http.ResponseWriter, r *http.Request) error {
	n, err := d.replayThem(r)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, map[string]int{"replayed": n})
	return nil
}
