package ingest

import (
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// A permanent redirect is believed once it has proven stable: sites that expire, log people in or are being repaired
// redirect "permanently" as well.
const (
	moveFetches = 5                   // in a row, all to the same target
	moveTime    = 3 * 24 * time.Hour  // from the first to the last of them
	moveRecheck = 30 * 24 * time.Hour // then the source's own URL is asked again
)

// recheck reports whether a source that has moved is to be asked at its own URL: once a month, and in turn with the
// target while polls fail.
func recheck(p *feed.PollState, now time.Time) bool {
	if p.Move.Adopted.IsZero() {
		return false
	}
	return now.Sub(p.Move.Checked) >= moveRecheck || p.Errors > 0 && p.Move.Checked.Before(p.LastPoll)
}

// follow takes over into the state what a successful poll showed about a move.
func (in *Ingester) follow(state *feed.PollState, source *feed.Source, o *outcome, now time.Time) {
	move, asked := &state.Move, o.request.URL == source.URL
	switch target := o.response.Target; {
	case !asked: // the target was asked itself: nothing is said about the redirect
		return
	case target == "":
		*move = feed.Move{} // the source is at home, or away for a time only
		return
	case target == move.To && move.Seen > 0:
		move.Seen = min(move.Seen+1, moveFetches)
	case target != move.To:
		*move = feed.Move{To: target, Since: now}
		if source.Poll.LastDocument.IsZero() || o.familiar() {
			move.Seen = 1
		}
	}
	proven := move.Seen >= moveFetches && now.Sub(move.Since) >= moveTime
	if move.Adopted.IsZero() && proven {
		move.Adopted = now
		in.opts.Logger.Info("source has moved for good", "source", source.URL, "to", move.To)
	}
	move.Checked = now
}

// familiar reports whether what came is the feed that was known: it shares an entry with it. A parked domain does not, the
// first time; later it shares what it brought then.
func (o *outcome) familiar() bool {
	return o.response.NotModified || o.accepted && (!o.fresh || o.saved.Modified+o.saved.Unchanged+o.saved.Dead > 0)
}
