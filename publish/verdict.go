package publish

import (
	"maps"
	"sync"

	"github.com/feedwire/feedwire/store/feed"
)

// maxVerdicts bounds the verdicts that a feed remembers.
const maxVerdicts = 10_000

// verdicts remembers why a feed would leave articles out; empty: it would not. It is safe for concurrent use.
type verdicts struct {
	mu      sync.Mutex
	reasons map[itemKey]string
}

func (v *verdicts) get(key itemKey) (reason string, known bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	reason, known = v.reasons[key]
	return reason, known
}

func (v *verdicts) add(key itemKey, reason string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.reasons == nil || len(v.reasons) >= maxVerdicts {
		v.reasons = make(map[itemKey]string)
	}
	v.reasons[key] = reason
}

// Verdict returns why a feed leaves an article out, or would if it published the article now. It is empty if the feed does not, or
// does not exist. The feed renders each version of an article once to find out, and only then it calls read for the article with its
// content. Errors are those of read.
func (p *Publisher) Verdict(a *feed.Article, typ string, read func() (feed.Article, error)) (string, error) {
	o := p.outlet(typ)
	if o == nil {
		return "", nil
	}
	if reason, known := o.judged(a); known {
		return reason, nil
	}
	whole, err := read()
	if err != nil {
		return "", err
	}
	key, reason := o.key(&whole), ""
	if _, err := o.encode(o.asPublished(&whole)); err != nil {
		reason = reasonOf(err)
	}
	o.verdicts.add(key, reason)
	return reason, nil
}

// judged returns why the feed leaves an article out if it is known.
func (o *outlet) judged(a *feed.Article) (reason string, known bool) {
	if at := published(o.asPublished(a), o.Type); o.tooOld(at) { // any remembered verdict is from before that
		return reasonOf(o.ageError(at)), true
	}
	key := o.key(a)
	if reason, known = o.blocked()[key]; known {
		return reason, true
	}
	return o.verdicts.get(key)
}

// asPublished returns the article as it would be if it was published now, unless it was published before.
func (o *outlet) asPublished(a *feed.Article) *feed.Article {
	place := a.Feeds[o.Type]
	if !place.Published.IsZero() {
		return a
	}
	published := *a
	place.Published = o.opts.Now()
	published.Feeds = map[string]feed.Placement{}
	maps.Copy(published.Feeds, a.Feeds)
	published.Feeds[o.Type] = place
	return &published
}
