package lists

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	liveEvery  = time.Second     // between two checks
	seeAgain   = 5 * time.Second // after which a stream checks what the visitor may see, before it sends more
	maxEvents  = 25              // of a stream at once
	beatEvery  = 15              // checks after which an idle stream has a comment
	liveBeat   = ": no votes\n\n"
	eventVoted = "entry_voted"
)

// followVotes serves GET /votes/live and GET /api/v1/votes/events: the votes on the entries that the query names and the visitor may see,
// at first and after each change, as server-sent events. Changes within a second are one event.
func (ls *Lists) followVotes(w http.ResponseWriter, r *http.Request) error {
	ids, err := ls.shown(r)
	if err != nil {
		return err
	}
	leave, err := ls.tallies.watch(ids)
	if err != nil {
		return err
	}
	defer leave()
	has, idle, checked := make(map[string]uint64, len(ids)), 0, time.Now()
	return ls.web.Pulse(w, r, liveEvery, func(bool) (string, error) {
		if err := ls.tallies.refresh(r.Context()); err != nil {
			return "", err
		}
		changed := ls.tallies.changed(ids, has, maxEvents)
		if len(changed) > 0 && time.Since(checked) >= seeAgain { // the visitor may have unfollowed a source since
			if ids, err = ls.allowed(r, ids); err != nil {
				return "", err
			}
			checked = time.Now()
			changed = slices.DeleteFunc(changed, func(id string) bool { return !slices.Contains(ids, id) })
		}
		text, err := ls.votedEvents(r, changed)
		if idle++; text != "" {
			idle = 0
		} else if idle%beatEvery == 0 {
			text = liveBeat
		}
		return text, err
	})
}

// shown returns the ids of the entries that a query names and the visitor may see.
func (ls *Lists) shown(r *http.Request) ([]string, error) {
	numbers := slices.Compact(slices.Sorted(slices.Values(r.URL.Query()["entry"])))
	if len(numbers) == 0 || len(numbers) > maxOfStream {
		return nil, feed.Invalid("entry", fmt.Sprintf("name 1 to %d entries by their numbers", maxOfStream))
	}
	ids := make([]string, len(numbers))
	for i, n := range numbers {
		if !isNumber(n) {
			return nil, feed.Invalid("entry", "use the number of an entry, such as 5 for Entry:5")
		}
		ids[i] = "Entry:" + n
	}
	return ls.allowed(r, ids)
}

// allowed returns those of some entries that exist and that the visitor may see now.
func (ls *Lists) allowed(r *http.Request, ids []string) ([]string, error) {
	see, err := ls.visible(r, web.VisitorOf(r).Account.ID)
	if err != nil {
		return nil, err
	}
	found, err := ls.store.HeadlinesByID(r.Context(), ids)
	all := make([]string, 0, len(ids)) // the caller may still need ids
	for _, id := range ids {
		if e, ok := found[id]; ok && see(&e) {
			all = append(all, id)
		}
	}
	return all, err
}

// votedEvents returns the events about the votes on entries, with those of the visitor. Entries that were removed have none.
func (ls *Lists) votedEvents(r *http.Request, ids []string) (string, error) {
	if len(ids) == 0 {
		return "", nil
	}
	scores, err := ls.store.Scores(r.Context(), web.VisitorOf(r).Account.ID, ids)
	var text strings.Builder
	for _, id := range ids {
		if score, ok := scores[id]; ok {
			data, _ := json.Marshal(feed.VotedEvent{Entry: id, Score: score}) // text and finite numbers always encode
			fmt.Fprintf(&text, "event: %s\ndata: %s\n\n", eventVoted, data)
		}
	}
	return text.String(), err
}
