package desk

import (
	"fmt"
	"net/http"
)

// deadLettersPage is what the template shows.
type deadLettersPage struct {
	frame
	Notice notice
	Rows   []letterRow
	Next   string
	Late   bool // it is not the first page
}

// showDeadLetters serves "/dead-letters": what was given up.
func (d *Desk) showDeadLetters(w http.ResponseWriter, r *http.Request) error {
	before := r.URL.Query().Get("before")
	if !signalID.MatchString(before) {
		return wrong("before", "use the address that the page before leads to")
	}
	letters, err := d.opts.Hub.DeadLetters(r.Context(), before, defaultLimit)
	if err != nil {
		return err
	}
	page := deadLettersPage{Notice: noticeOf(r), Late: before != ""}
	for i := range letters {
		page.Rows = append(page.Rows, letterRowOf(&letters[i], d.opts.Now()))
	}
	if n := len(letters); n == defaultLimit {
		page.Next = "/dead-letters?before=" + letters[n-1].ID
	}
	page.frame = d.frame(r, "Dead letters – feedwire", 0)
	d.render(w, r, http.StatusOK, "dead.html", page)
	return nil
}

func (d *Desk) replayByForm(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("letter")
	if err := d.opts.Hub.ReplayDeadLetter(r.Context(), id); err != nil {
		return err
	}
	about(r, "dead letter "+id, "", "")
	goBack(w, r, "/dead-letters", "replayed", "")
	return nil
}

// mostReplayed bounds how many dead letters one request replays.
const mostReplayed = 1000

// replayAll replays the newest dead letters. Those whose subscription has ended stay: nobody is left to send them to.
func (d *Desk) replayAll(w http.ResponseWriter, r *http.Request) error {
	if _, err := d.replayThem(r); err != nil {
		return err
	}
	goBack(w, r, "/dead-letters", "replayedall", "")
	return nil
}

// replayThem sends dead letters again, as many as there are.
func (d *Desk) replayThem(r *http.Request) (int, error) {
	before, replayed := "", 0
	for replayed < mostReplayed {
		letters, err := d.opts.Hub.DeadLetters(r.Context(), before, maxLimit)
		if err != nil {
			return replayed, err
		}
		for i := range letters {
			before = letters[i].ID
			switch err := d.opts.Hub.ReplayDeadLetter(r.Context(), before); resultOf(err) {
			case resultOK:
				replayed++
			case resultRefused:
			case resultUnavailable, resultError:
				return replayed, err
			}
		}
		if len(letters) < maxLimit {
			break
		}
	}
	about(r, fmt.Sprintf("%d dead letters", replayed), "", "")
	return replayed, nil
}
