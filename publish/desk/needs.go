package desk

import (
	"fmt"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	// alarmAfter is how many polls in a row may fail before a person is called: what a network does for a while mends
	// itself.
	alarmAfter = 3
	// missedAfter is how long a consumer may stay away while there is something for it to fetch.
	missedAfter = time.Hour
	// idleAfter is how long a signal may wait for one of our own readers.
	idleAfter = 2 * time.Minute
)

// need is something that waits for a person, in a sentence that begins with what it is about.
type need struct {
	About, Link string // the page where it is done; empty: it is not done here
	Text        string
	Count       int // of the things that it stands for
}

// needs lists what waits for a person: first what concerns everything.
func (d *Desk) needs(view *feed.Overview, now time.Time) (all []need) {
	all = append(all, redisNeeds(&view.Redis)...)
	all = append(all, sourceNeeds(view)...)
	if view.Late > 0 {
		all = append(all, need{
			About: plural(view.Late, "poll"), Link: "/sources", Count: 1, Text: pick(view.Late, "is", "are") + " late by more than " + length(lateAfter) +
				". Where that lasts, raise fetch.workers, or see in the log what keeps the daemon.",
		})
	}
	if !view.Waits.IsZero() && now.Sub(view.Waits) > idleAfter {
		all = append(all, need{
			About: "Signals", Link: "/signals", Count: 1, Text: "are not handled since " + clock(view.Waits, now) + ". The log has the reason.",
		})
	}
	for i := range d.opts.Feeds {
		all = append(all, d.feedNeeds(&d.opts.Feeds[i], &view.Feeds[i], now)...)
	}
	if n := view.Hub.DeadLetters; n > 0 && d.opts.Hub != nil {
		all = append(all, need{
			About: plural(n, "dead letter"), Link: "/dead-letters", Count: 1,
			Text: pick(n, "waits", "wait") + " to be sent again: so much was given up, because the subscriber did not take it.",
		})
	}
	return all
}

// redisNeeds tell why the store is in danger.
func redisNeeds(r *feed.RedisState) []need {
	text := ""
	switch {
	case r.Refuses == "oom":
		text = "takes no writes: it has reached its maxmemory of " + size(r.Most) + ". Raise that, or keep less (signals.keep, fetch.keep_entries)."
	case r.Refuses == "misconf":
		text = "takes no writes: it cannot save to its disk. Make room there; its own log has the reason."
	case r.Refuses == "readonly":
		text = "takes no writes: it is a replica. Name the primary in store.redis."
	case r.Refuses != "":
		text = "takes no writes (" + r.Refuses + "). Its own log has the reason."
	case r.DiskFails:
		text = "could not write to its disk the last time: were it to end now, what changed since would be lost. Make room there; its own log has the reason."
	default:
		return nil
	}
	return []need{{About: "Redis", Text: text, Count: 1}}
}

// sourceNeeds are the sources that do not mend themselves.
func sourceNeeds(view *feed.Overview) (all []need) {
	for i := range view.Alarming {
		s := &view.Alarming[i]
		n := need{About: nameOf(s), Link: "/sources/" + s.ID, Count: 1}
		n.Text = fmt.Sprintf("has failed %d times in a row: %s; %s", s.Poll.Errors, s.Poll.ErrorText, s.Poll.WayOut())
		if s.State() == feed.SourceGone {
			n.Text = "is gone: its server says so for good. Remove it, or give its new address."
		}
		all = append(all, n)
	}
	if more := view.Alarms - len(view.Alarming); more > 0 {
		all = append(all, need{About: plural(more, "more source"), Link: "/sources", Text: "that " + pick(more, "is", "are") + " gone or failing.", Count: more})
	}
	return all
}

// feedNeeds are what keeps articles from the consumer of a feed. A twin is for people, who come when they want.
func (d *Desk) feedNeeds(f *feed.Outgoing, state *feed.OutgoingState, now time.Time) (all []need) {
	for i := range state.Out[:min(shownNeeds, len(state.Out))] {
		a := &state.Out[i]
		all = append(all, need{
			About: articleName(a), Link: "/articles/" + a.UUID, Text: "is held back from " + f.Type + ": " + d.opts.HeldBack(a, f.Type), Count: 1,
		})
	}
	if more := len(state.Out) - len(all); more > 0 {
		all = append(all, need{
			About: plural(more, "more article"), Link: "/articles?feed=" + f.Type + "&state=" + heldBack,
			Text: pick(more, "is", "are") + " held back from " + f.Type + ".", Count: more,
		})
	}
	page := "/feeds/" + f.Type
	counts := f.Password != "" || len(f.Counted) > 0
	switch last := lastCounted(state.Visits); {
	case len(state.Visits) > 0 && state.Visits[0].Status >= http.StatusInternalServerError:
		all = append(all, need{About: f.Type, Link: page, Text: "could not be served the last time. The log has the reason.", Count: 1})
	case !counts || f.TwinOf != "" || state.Oldest.IsZero() || now.Sub(state.Oldest) < missedAfter || now.Sub(last) < missedAfter:
	case last.IsZero():
		all = append(all, need{About: f.Type, Link: page, Text: "has articles, and its consumer has not come. Hand it the address.", Count: 1})
	default:
		all = append(all, need{
			About: f.Type, Link: page, Text: "has articles, and its consumer came last " + ago(last, now).Text + ". See whether it still has the address.", Count: 1,
		})
	}
	return all
}

// pick is the form of a word that goes with a number.
func pick(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
