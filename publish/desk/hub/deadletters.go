package hub

import (
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// lettersView is the data of dead.html.
type lettersView struct {
	web.Frame
	Notice web.Notice
	Rows   []letterRow
	Next   string // address of the next page; empty: none
	Late   bool   // not the first page
}

// showDeadLetters serves "/dead-letters".
func (h *Hub) showDeadLetters(w http.ResponseWriter, r *http.Request) error {
	before := r.URL.Query().Get("before")
	if !web.IsStreamID(before) {
		return feed.Invalid("before", "use a link of this page")
	}
	letters, err := h.store.DeadLetters(r.Context(), before, web.DefaultLimit)
	if err != nil {
		return err
	}
	view := lettersView{Frame: h.web.Frame(r, "Dead letters – feedwire", 0), Notice: notices.Of(r), Late: before != ""}
	for i := range letters {
		view.Rows = append(view.Rows, letterRowOf(&letters[i], h.web.Now()))
	}
	if n := len(letters); n == web.DefaultLimit {
		view.Next = "/dead-letters?before=" + letters[n-1].ID
	}
	h.pages.Render(w, r, http.StatusOK, "dead.html", view)
	return nil
}

// listDeadLetters serves GET /api/v1/hub/dead, newest first.
func (h *Hub) listDeadLetters(w http.ResponseWriter, r *http.Request) error {
	limit, err := web.Limit(r)
	if err != nil {
		return err
	}
	before := r.URL.Query().Get("cursor")
	if !web.IsStreamID(before) {
		return feed.Invalid("cursor", "use next of the previous response")
	}
	all, err := h.store.DeadLetters(r.Context(), before, limit)
	if err != nil {
		return err
	}
	items := make([]DeadLetter, len(all))
	for i, l := range all {
		items[i] = DeadLetter(l)
	}
	next := ""
	if len(all) == limit {
		next = all[limit-1].ID
	}
	web.JSON(w, http.StatusOK, web.List(items, next))
	return nil
}

// replay serves POST /api/v1/hub/dead/{letter}/replay.
func (h *Hub) replay(w http.ResponseWriter, r *http.Request) error {
	if err := h.store.ReplayDeadLetter(r.Context(), r.PathValue("letter")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// replayAll serves POST /api/v1/hub/dead/replay.
func (h *Hub) replayAll(w http.ResponseWriter, r *http.Request) error {
	n, err := h.replayLetters(r)
	if err != nil {
		return err
	}
	web.JSON(w, http.StatusOK, map[string]int{"replayed": n})
	return nil
}

// replayByForm resends the dead letter of the path.
func (h *Hub) replayByForm(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("letter")
	if err := h.store.ReplayDeadLetter(r.Context(), id); err != nil {
		return err
	}
	web.Changed(r, feed.Object{Kind: feed.ObjectDeadLetter, ID: id}, "", "")
	web.GoBack(w, r, "/dead-letters", "replayed", "")
	return nil
}

// replayAllByForm resends all dead letters.
func (h *Hub) replayAllByForm(w http.ResponseWriter, r *http.Request) error {
	if _, err := h.replayLetters(r); err != nil {
		return err
	}
	web.GoBack(w, r, "/dead-letters", "allresent", "")
	return nil
}

// maxReplayed bounds how many dead letters one request resends.
const maxReplayed = 1000

// replayLetters resends the newest dead letters and returns how many. It skips those whose subscription has ended.
func (h *Hub) replayLetters(r *http.Request) (int, error) {
	before, replayed := "", 0
	for replayed < maxReplayed {
		letters, err := h.store.DeadLetters(r.Context(), before, web.MaxLimit)
		if err != nil {
			return replayed, err
		}
		for i := range letters {
			before = letters[i].ID
			switch err := h.store.ReplayDeadLetter(r.Context(), before); web.ResultOf(err) {
			case web.ResultOK:
				replayed++
			case web.ResultRefused:
			case web.ResultUnavailable, web.ResultError:
				return replayed, err
			}
		}
		if len(letters) < web.MaxLimit {
			break
		}
	}
	web.Changed(r, feed.Object{Kind: feed.ObjectDeadLetter, Name: web.Plural(replayed, "dead letter")}, "", "")
	return replayed, nil
}
