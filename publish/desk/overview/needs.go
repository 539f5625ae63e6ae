package overview

import (
	"fmt"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	// missedAfter is how long a feed with articles may go without being fetched.
	missedAfter = time.Hour
	// idleAfter is how long a signal may wait to be processed.
	idleAfter = 2 * time.Minute
)

// need is a problem that needs attention, as a sentence that begins with About.
type need struct {
	About, Link string // Link is the page of the problem; empty: none
	Text        string
	more        int // problems that the need stands for beside the first
}

// needs returns what needs attention. Problems of the whole daemon come first.
func (o *Overview) needs(view *state, now time.Time) (all []need) {
	all = append(all, redisNeeds(&view.Redis)...)
	all = append(all, sourceNeeds(view)...)
	if view.Late > 0 {
		all = append(all, need{
			About: web.Plural(view.Late, "poll"), Link: "/sources", Text: web.Pick(view.Late, "is", "are") + " late by more than " +
				web.Length(feed.LateAfter) + ". If this lasts, raise fetch.workers, or see the log for the cause.",
		})
	}
	if !view.Outbox.OldestPending.IsZero() && now.Sub(view.Outbox.OldestPending) > idleAfter {
		all = append(all, need{
			About: "Signals", Link: "/signals", Text: "have not been processed since " + web.Clock(view.Outbox.OldestPending, now) + ". See the log for the reason.",
		})
	}
	for i := range o.opts.Feeds {
		all = append(all, o.feedNeeds(&o.opts.Feeds[i], &view.Feeds[i], now)...)
	}
	if n := view.Hub.DeadLetters; n > 0 {
		all = append(all, need{
			About: fmt.Sprint(n) + web.Pick(n, " delivery", " deliveries"), Link: "/dead-letters",
			Text: "failed permanently. " + web.Pick(n, "Review it or resend it.", "Review or resend them."),
		})
	}
	return all
}

// redisNeeds returns why Redis refuses writes or may lose data.
func redisNeeds(r *feed.RedisState) []need {
	text := ""
	switch {
	case r.WriteError == "oom":
		text = "refuses writes: it has reached its maxmemory of " + size(r.MemoryLimit) + ". Raise store.max_memory, or the maxmemory of your Redis, or lower signals.keep or fetch.keep_entries."
	case r.WriteError == "misconf":
		text = "refuses writes: it cannot save to disk. Free disk space, or see the log of Redis for the reason."
	case r.WriteError == "readonly":
		text = "refuses writes: it is a replica. Set store.redis to the primary."
	case r.WriteError != "":
		text = "refuses writes (" + r.WriteError + "). See the log of Redis for the reason."
	case r.DiskFails:
		text = "could not save to disk. If it stops now, the latest changes are lost. Free disk space, or see the log of Redis for the reason."
	default:
		return nil
	}
	return []need{{About: "Redis", Text: text}}
}

// sourceNeeds returns the sources that are gone or keep failing.
func sourceNeeds(view *state) (all []need) {
	for i := range view.Alarming {
		s := &view.Alarming[i]
		n := need{About: s.Name(), Link: "/sources/" + s.ID}
		n.Text = fmt.Sprintf("has failed %d times in a row: %s; %s", s.Poll.Errors, s.Poll.ErrorText, s.Poll.Advice())
		if s.State() == feed.SourceGone {
			n.Text = "is gone: the server removed it permanently. Remove the source, or set its new URL."
		}
		all = append(all, n)
	}
	if more := view.Alarms - len(view.Alarming); more > 0 {
		all = append(all, need{About: web.Plural(more, "more source"), Link: "/sources", Text: web.Pick(more, "is", "are") + " gone or failing.", more: more - 1})
	}
	return all
}

// feedNeeds returns why articles do not reach the consumer of a feed. Twins may go without being fetched, because people read them.
func (o *Overview) feedNeeds(f *feed.Outgoing, state *feed.OutgoingState, now time.Time) (all []need) {
	for i := range state.Published[:min(shownNeeds, len(state.Published))] {
		a := &state.Published[i]
		all = append(all, need{About: a.Name(), Link: "/articles/" + a.UUID, Text: "is blocked from " + f.Type + ": " + o.opts.Blocked(a, f.Type)})
	}
	if more := len(state.Published) - len(all); more > 0 {
		all = append(all, need{
			About: web.Plural(more, "more article"), Link: "/articles?feed=" + f.Type + "&state=blocked",
			Text: web.Pick(more, "is", "are") + " blocked from " + f.Type + ".", more: more - 1,
		})
	}
	page := "/feeds/" + f.Type
	counts := f.Password != "" || len(f.Counted) > 0
	switch last := feed.LastCounted(state.Visits); {
	case len(state.Visits) > 0 && state.Visits[0].Status >= http.StatusInternalServerError:
		all = append(all, need{About: f.Type, Link: page, Text: "failed the last request. See the log for the reason."})
	case !counts || f.TwinOf != "" || state.Oldest.IsZero() || now.Sub(state.Oldest) < missedAfter || now.Sub(last) < missedAfter:
	case last.IsZero():
		all = append(all, need{About: f.Type, Link: page, Text: "has articles and was not fetched recently. Give the consumer the address."})
	default:
		all = append(all, need{About: f.Type, Link: page, Text: "has articles and was last fetched " + web.Ago(last, now).Text +
			". Check that the consumer still has the address."})
	}
	return all
}
