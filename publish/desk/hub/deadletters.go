package hub

import (
	"fmt"
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// lettersView is the data of dead.html.
type lettersView struct {
	web.ListPage[feed.DeadLetter]
}

// Text describes a dead letter.
func (lettersView) Text(l feed.DeadLetter) string {
	text := "one version of " + TopicText(l.Topic)
	if l.Last > l.First {
		text = fmt.Sprintf("%d versions of %s", l.Last-l.First+1, TopicText(l.Topic))
	}
	return text + fmt.Sprintf(", after %s: %s", web.Plural(l.Failures, "failure"), failureText(l.Status, l.Reason))
}

// showDeadLetters serves "/dead-letters".
func (h *Hub) showDeadLetters(w http.ResponseWriter, r *http.Request) error {
	letters, err := h.deadLetters(r)
	if err != nil {
		return err
	}
	return h.web.Render(w, r, "dead.html", &lettersView{web.ListPage[feed.DeadLetter]{
		Frame: web.Frame{Title: "Dead letters"}, Rows: letters.Items, Pager: web.PagerOf(r, letters.Next),
	}})
}

// deadLetters returns the page of dead letters that a request names, newest first.
func (h *Hub) deadLetters(r *http.Request) (feed.Page[feed.DeadLetter], error) {
	return web.Newest(h.store.DeadLetters, func(l *feed.DeadLetter) string { return l.ID })(r)
}

// deadLetter serves GET /api/v1/hub/dead/{letter}.
func (h *Hub) deadLetter(r *http.Request) (feed.DeadLetter, error) {
	return h.store.DeadLetter(r.Context(), r.PathValue("letter"))
}

// replay resends the dead letter of the path.
func (h *Hub) replay(r *http.Request) error {
	id := r.PathValue("letter")
	web.Changed(r, feed.Object{Kind: feed.ObjectDeadLetter, ID: id}, "", "")
	return h.store.ReplayDeadLetter(r.Context(), id)
}

func (h *Hub) replayByForm(r *http.Request) (web.Next, error) {
	return web.Next{Page: "/dead-letters", Did: "replayed"}, h.replay(r)
}

// replayed is the response of POST /api/v1/hub/dead/replay.
type replayed struct {
	Replayed int `json:"replayed"`
}

func (h *Hub) replayAllByForm(r *http.Request) (web.Next, error) {
	_, err := h.replayAll(r)
	return web.Next{Page: "/dead-letters", Did: "allresent"}, err
}

// maxReplayed bounds how many dead letters one request resends.
const maxReplayed = 1000

// replayAll resends the newest dead letters. It skips those whose subscription has ended.
func (h *Hub) replayAll(r *http.Request) (done replayed, err error) {
	before := ""
	for done.Replayed < maxReplayed {
		letters, err := h.store.DeadLetters(r.Context(), before, web.MaxLimit)
		if err != nil {
			return done, err
		}
		for i := range letters {
			before = letters[i].ID
			switch err := h.store.ReplayDeadLetter(r.Context(), before); web.ResultOf(err) {
			case web.ResultOK:
				done.Replayed++
			case web.ResultRefused:
			case web.ResultUnavailable, web.ResultError:
				return done, err
			}
		}
		if len(letters) < web.MaxLimit {
			break
		}
	}
	web.Changed(r, feed.Object{Kind: feed.ObjectDeadLetter, Name: web.Plural(done.Replayed, "dead letter")}, "", "")
	return done, nil
}
