package desk

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// History is the answer of GET /api/v1/articles/{uuid}/history.
type History struct {
	Versions []feed.Version `json:"versions"` // the newest first, which is what the article is now
	Deeds    []Deed         `json:"deeds"`    // of people, the newest first
}

// Deed is what somebody did with an article in an outgoing feed.
type Deed struct {
	Time   time.Time `json:"time"`
	Who    string    `json:"who"`
	Action string    `json:"action"`
	Feed   string    `json:"feed"`
	Before string    `json:"before,omitempty"` // state
	After  string    `json:"after,omitempty"`
}

// showHistory answers what an article was before, and who did what with it.
func (d *Desk) showHistory(w http.ResponseWriter, r *http.Request) error {
	uuid, err := articleUUID(r)
	if err != nil {
		return err
	}
	view, err := d.store.ArticleView(r.Context(), uuid, nil, 0)
	if err != nil {
		return err
	}
	history := History{Versions: append([]feed.Version{}, view.Versions...), Deeds: []Deed{}}
	for i := range view.Deeds {
		e := &view.Deeds[i]
		_, typ, _ := strings.Cut(e.On, " in ")
		history.Deeds = append(history.Deeds, Deed{e.Time.UTC(), e.Who, e.Action, typ, e.Before, e.After})
	}
	answer(w, http.StatusOK, history)
	return nil
}

// undo brings back what a decision changed, by the name that its transition had.
func (d *Desk) undo(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	done, err := d.store.Undo(r.Context(), id)
	if errors.Is(err, feed.ErrNotFound) {
		return fmt.Errorf("decision %.64q %w: it can be undone for an hour", id, feed.ErrNotFound)
	}
	if err != nil {
		return err
	}
	d.tell(r, done)
	all := Bulk{Items: make([]BulkItem, len(done))}
	for i := range done {
		one := &done[i]
		if one.Err == nil {
			all.Items[i] = BulkItem{ID: one.UUID, Status: http.StatusOK, Transition: &one.Transition}
			all.Done++
			continue
		}
		p := d.problem(r, fmt.Errorf("it is %s now: %w", one.Now.State, one.Err))
		all.Items[i] = BulkItem{ID: one.UUID, Status: p.Status, Problem: &p}
		all.Failed++
	}
	answer(w, http.StatusMultiStatus, all)
	return nil
}
