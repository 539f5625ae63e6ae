package delivery

import (
	"context"

	"github.com/feedwire/feedwire/store/feed"
)

// News is the signals of one document, in order.
type News struct {
	FeedURL string
	Signals []feed.Signal
}

// Outlet turns news into distributions.
type Outlet struct {
	// Topics returns the topics that the news of a source concerns.
	Topics func(feedURL string) []string
	// Make returns the distributions for one of these topics, in order; none if there is nothing to distribute.
	// feed.ErrUnavailable: retry later.
	Make func(ctx context.Context, topic string, news News) ([]feed.Distribution, error)
}

// groupByDocument groups signals by the document that caused them. The signals of a document are adjacent and have the
// same time.
func groupByDocument(signals []feed.Signal) (all []News) {
	for i, s := range signals {
		if i == 0 || s.FeedURL != signals[i-1].FeedURL || !s.Time.Equal(signals[i-1].Time) {
			all = append(all, News{FeedURL: s.FeedURL})
		}
		last := &all[len(all)-1]
		last.Signals = append(last.Signals, s)
	}
	return all
}
