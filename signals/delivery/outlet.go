package delivery

import (
	"context"
	"slices"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// News is the signals of one document, of comments and votes on entries of one source, or of a list, in order.
type News struct {
	FeedURL string
	Signals []feed.Signal
}

// last returns the id of the last signal.
func (n News) last() string { return n.Signals[len(n.Signals)-1].ID }

// ofSource reports whether the news changes what the source has.
func (n News) ofSource() bool { return n.Signals[0].Kind.OfSource() }

// after returns the news without the signals up to an id. If signals are missing, it is a copy.
func (n News) after(id string) News {
	first := slices.IndexFunc(n.Signals, func(s feed.Signal) bool { return feed.SignalLess(id, s.ID) })
	switch first {
	case 0:
		return n
	case -1:
		first = len(n.Signals)
	}
	return News{FeedURL: n.FeedURL, Signals: slices.Clone(n.Signals[first:])}
}

// Outlet turns news into distributions.
type Outlet struct {
	// Shared outlets have topics with the news of several sources. These are distributed in the order of the outbox. Topics of other
	// outlets have the news of one source, which may be distributed before older news of other sources.
	Shared bool
	// Filters is set for webhooks. Their topics are those of filters, which concern one source, or all if the outlet is Shared, and they
	// distribute signals of all kinds. Subscribers of a feed get it when its entries change, and nothing because of other changes.
	Filters bool
	// Topics returns the topics that the news of a source concerns. It is not used if Filters is set.
	Topics func(feedURL string) []string
	// Make returns the distributions for one of these topics, in order; none if there is nothing to distribute.
	// feed.ErrUnavailable: retry later.
	Make func(ctx context.Context, topic string, news News) ([]feed.Distribution, error)
	// Redact returns the body of a distribution of this outlet without the post of a signal, which was taken down. Nil if all
	// distributions are Whole: the one after a takedown replaces those before it, or the
	// engine deletes them if Make returns none.
	Redact func(body []byte, deleted *feed.Signal) ([]byte, error)
}

// topics returns the topics that the news of a source concerns, of those filters if it is an outlet of webhooks.
func (o *Outlet) topics(feedURL string, filters []filterTopic) (all []string) {
	if !o.Filters {
		return o.Topics(feedURL)
	}
	for _, f := range filters {
		if ofAll := f.filter.Source == ""; ofAll == o.Shared && (ofAll || f.filter.Source == feedURL) {
			all = append(all, f.topic)
		}
	}
	return all
}

// groupByDocument groups signals by the document that caused them. The signals of a document are adjacent and have the
// same time. Those of other changes are grouped on their own.
func groupByDocument(signals []feed.Signal) (all []News) {
	ofSource := func(i int) bool { return signals[i].Kind.OfSource() }
	for i, s := range signals {
		if i == 0 || s.FeedURL != signals[i-1].FeedURL || !s.Time.Equal(signals[i-1].Time) || ofSource(i) != ofSource(i-1) {
			all = append(all, News{FeedURL: s.FeedURL})
		}
		last := &all[len(all)-1]
		last.Signals = append(last.Signals, s)
	}
	return all
}

// Served is a topic that is distributed as it is served, whenever its document changes.
type Served struct {
	Topic string
	// Get returns the document as a client would get it, without counting as an impression.
	Get func(ctx context.Context) (feed.Distribution, error)
}

// distributeServed checks the topics of Options.Served until ctx ends.
func (e *Engine) distributeServed(ctx context.Context) {
	for ctx.Err() == nil {
		if served := e.current.Load().Served; served != nil {
			e.checkServed(ctx, served())
		}
		retry.Await(ctx, nil, servedEvery)
	}
}

// distributeLists checks the topics of Options.Lists until ctx ends: at the beginning of each minute, so that all daemons do so together,
// and after CheckLists.
func (e *Engine) distributeLists(ctx context.Context) {
	for {
		now := e.opts.Now()
		if !retry.Await(ctx, e.listing, now.Truncate(listsEvery).Add(listsEvery).Sub(now)) {
			return
		}
		lists := e.current.Load().Lists
		if lists == nil {
			continue
		}
		if all, ok := patiently(ctx, e, "lists are not distributed", lists); ok {
			e.checkServed(ctx, all)
		}
	}
}

// CheckLists distributes at once those lists whose documents have changed. An entry may have been taken down.
func (e *Engine) CheckLists() { retry.Wake(e.listing) }

// checkServed distributes those topics that have subscribers and whose documents have changed.
func (e *Engine) checkServed(ctx context.Context, served []Served) {
	topics := make([]string, len(served))
	for i, s := range served {
		topics[i] = s.Topic
	}
	subscribed, _ := e.haveSubscribers(ctx, topics)
	for i := range served {
		if !subscribed[topics[i]] {
			continue
		}
		call, cancel := context.WithTimeout(ctx, callTimeout)
		made, err := e.distributeIfChanged(call, &served[i])
		cancel()
		if made {
			e.metrics.distributions.Inc()
			e.queueNews()
		}
		if err != nil && ctx.Err() == nil {
			e.opts.Logger.Warn("feed not distributed, retrying", "feed", topics[i], "err", err)
		}
	}
}

func (e *Engine) distributeIfChanged(ctx context.Context, s *Served) (made bool, err error) {
	defer e.recoverTo(&err)
	d, err := s.Get(ctx)
	if err != nil {
		return false, err
	}
	d.Topic, d.Whole = s.Topic, true
	return e.store.DistributeServed(ctx, d)
}
