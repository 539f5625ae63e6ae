//go:build faults

package store_test

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
)

// act is one line of the history of an article.
type act struct {
	client     int
	do         deed // or looks
	uuid       string
	revision   int   // that a fetch showed
	call, back int64 // nanoseconds since the beginning
	known      bool  // it was answered; else it was done once, now or later, or never

	counted  answer          // of a fetch
	promoted bool            // of a fetch
	became   feed.Transition // of publish and withdraw
	refused  bool            // of withdraw
	now      life            // of looks
}

// looks reads the final state of an article.
const looks deed = "look"

// answer is the result of a fetch for one of its articles.
type answer int

const (
	unsaid answer = iota
	yes
	no
)

// life is an article in a feed, as DESIGN has it: the model of what the store does.
type life struct {
	state       feed.State
	revision    int
	impressions int
}

// after are the lives that an act may lead to; none: it cannot have come to what it came to.
func (l life) after(a act) []any {
	next, fits := l, true
	switch a.do {
	case fetches:
		counts := l.state == feed.StatePublished && l.revision == a.revision
		if counts {
			next.impressions++
		}
		fourth := counts && next.impressions == feed.ImportAfter
		if fourth {
			next.state = feed.StateImported
		}
		fits = a.promoted == fourth && (a.counted == unsaid || (a.counted == yes) == counts)
	case publishes:
		next = life{feed.StatePublished, l.revision + 1, 0}
		fits = a.became.From == l.state && a.became.To == next.state && a.became.Revision == next.revision
	case withdraws:
		possible := l.state == feed.StatePublished || l.state == feed.StateWithdrawn
		if l.state == feed.StatePublished {
			next = life{feed.StateWithdrawn, l.revision, 0}
		}
		fits = a.refused != possible && (a.refused || a.became.From == l.state && a.became.To == next.state)
	case looks:
		fits = a.now == l
	}
	switch {
	case !a.known:
		return []any{l, next}
	case fits:
		return []any{next}
	}
	return nil
}

// lifecycleModel returns the model of an article in a feed for the linearizability checker.
func lifecycleModel() porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{life{feed.StatePublished, 1, 0}} },
		Step: func(state, input, _ any) []any { return state.(life).after(input.(act)) },
	}
	return model.ToModel()
}

// saving is one document that a client saved, and the entry in it that it was for.
type saving struct {
	url, guid, digest string
	known             bool
}

// judge says what is wrong first, and by whom it was noticed; empty: nothing.
func (r *run) judge(own *store.Store) string {
	ctx := context.Background()
	for _, uuid := range r.uuids {
		a, err := own.Articles.Article(ctx, uuid, types[:1])
		if err != nil {
			return "invariants: " + err.Error()
		}
		p := a.Feeds[types[0]]
		end := act{do: looks, uuid: uuid, call: r.now(), known: true, now: life{p.State, p.Revision, len(p.Impressions)}}
		end.back = r.now()
		history := []porcupine.Operation{{Input: end, Call: end.call, Return: end.back}}
		for _, a := range r.acts {
			if a.uuid != uuid {
				continue
			}
			if !a.known {
				a.back = math.MaxInt64
			}
			history = append(history, porcupine.Operation{ClientId: a.client + 1, Input: a, Call: a.call, Return: a.back})
		}
		switch porcupine.CheckOperationsTimeout(lifecycleModel(), history, 10*time.Second) {
		case porcupine.Illegal:
			return fmt.Sprintf("porcupine: no order of these calls leads there: %+v", history)
		case porcupine.Unknown:
			return "porcupine: did not come to an end within 10 s"
		}
		if said := r.count(uuid, end.now); said != "" {
			return said
		}
	}
	return r.outbox(own)
}

// count holds the ledger of fetches against the impressions of an article.
func (r *run) count(uuid string, end life) string {
	sure, maybe, promotions := 0, 0, make(map[int]int)
	for _, a := range r.acts {
		if a.do != fetches || a.uuid != uuid {
			continue
		}
		if a.promoted {
			promotions[a.revision]++
		}
		switch {
		case a.revision != end.revision:
		case !a.known || a.counted == unsaid:
			maybe++
		case a.counted == yes:
			sure++
		}
	}
	for revision, n := range promotions {
		if n > 1 {
			return fmt.Sprintf("ledger: revision %d of %s was promoted %d times", revision, uuid, n)
		}
	}
	switch {
	case end.state == feed.StateWithdrawn: // its impressions went
	case end.impressions < sure || end.impressions > sure+maybe:
		return fmt.Sprintf("ledger: %s has %d impressions of %d fetches, and %d whose outcome is unknown", uuid, end.impressions, sure, maybe)
	case (end.state == feed.StateImported) != (end.impressions == feed.ImportAfter):
		return fmt.Sprintf("ledger: %s is %s with %d impressions", uuid, end.state, end.impressions)
	}
	return ""
}

// outbox compares the stored entries with the stored signals.
func (r *run) outbox(own *store.Store) string {
	signals, err := own.Signals.Signals(context.Background(), "", 10_000, 0)
	if err != nil {
		return "outbox: " + err.Error()
	}
	type name struct{ url, guid string }
	last, told := make(map[name]feed.Signal), make(map[string]string)
	for _, s := range signals {
		if s.GUID == "" {
			continue
		}
		of, content := name{s.FeedURL, s.GUID}, s.FeedURL+" "+s.GUID+" "+s.Digest
		if before := told[content]; before != "" {
			return fmt.Sprintf("outbox: the same content of %s is signalled as %s and as %s", of, before, s.ID)
		}
		if _, known := last[of]; known != (s.Kind == feed.PostModified) {
			return fmt.Sprintf("outbox: %s of %s, known before: %v", s.Kind, of, known)
		}
		last[of], told[content] = s, s.ID
	}
	for _, s := range r.saves {
		of := name{s.url, s.guid}
		if s.known && told[s.url+" "+s.guid+" "+s.digest] == "" {
			return fmt.Sprintf("outbox: a save of %s was acknowledged, and has no signal", of)
		}
		e, err := own.Entries.EntryByGUID(context.Background(), s.url, s.guid)
		switch {
		case err != nil && s.known:
			return fmt.Sprintf("outbox: %s was acknowledged, and is not there: %v", of, err)
		case err != nil:
		case last[of].Digest != e.Digest():
			return fmt.Sprintf("outbox: %s was committed, and the last signal tells of other content", of)
		}
	}
	return ""
}
