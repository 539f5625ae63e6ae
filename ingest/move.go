package ingest

import (
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// A permanent redirect is adopted after it was stable: expired sites, logins and sites under repair redirect "permanently"
// as well.
const (
	moveFetches = 5                   // consecutive ones to the same target
	moveTime    = 3 * 24 * time.Hour  // from the first to the last of them
	moveRecheck = 30 * 24 * time.Hour // then the URL of the source is polled again
)

// needsRecheck reports whether a moved source is to be polled at its own URL: once a month, and in every second poll while
// polls fail.
func needsRecheck(p *feed.PollState, now time.Time) bool {
	if p.Move.Adopted.IsZero() || p.Move.Chosen {
		return false
	}
	return now.Sub(p.Move.Checked) >= moveRecheck || p.Errors > 0 && p.Move.Checked.Before(p.LastPoll)
}

// updateMove updates the move of a source after a successful poll.
func (in *Ingester) updateMove(state *feed.PollState, source *feed.Source, o *outcome, now time.Time) {
	if o.request.URL != source.URL { // a poll of the target shows nothing about the redirect
		return
	}
	move, target := &state.Move, o.response.Target
	switch {
	case target == "": // not redirected, or only temporarily
		*move = feed.Move{}
		return
	case target == move.To && move.Seen > 0:
		move.Seen = min(move.Seen+1, moveFetches)
	case target != move.To:
		*move = feed.Move{To: target, Since: now}
		if source.Poll.LastDocument.IsZero() || o.isKnownFeed() {
			move.Seen = 1
		}
	}
	if move.Adopted.IsZero() && move.Seen >= moveFetches && now.Sub(move.Since) >= moveTime {
		move.Adopted = now
		in.opts.Logger.Info("source has moved permanently", "source", source.URL, "to", move.To)
	}
	move.Checked = now
}

// clearedSecrets returns why the secrets of a source are removed at the end of a poll, or "": it is polled from now on at a
// scheme, host or port for which they were not entered.
func clearedSecrets(source *feed.Source, state *feed.PollState) string {
	from, to := feed.Origin(source.Address()), feed.Origin(state.Address(source.URL))
	if from == to || to == source.SecretsOrigin() || !source.Private() {
		return ""
	}
	return "the source moved from " + from + " to " + to
}

// isKnownFeed reports whether the document shares an entry with the stored feed. That of a parked domain does not.
func (o *outcome) isKnownFeed() bool {
	return !o.fresh || o.saved.Modified+o.saved.Unchanged+o.saved.Dead > 0
}
