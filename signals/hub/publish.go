package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// maxPublished bounds the topics of one publish.
const maxPublished = 100

// publish answers a publisher that has news in one or more topics: 204 if each of them is looked at, and else what became
// of each.
func (f *Front) publish(ctx context.Context, w http.ResponseWriter, form url.Values, client string) error {
	urls := websub.Published(form)
	switch {
	case len(urls) == 0:
		return invalid(http.StatusBadRequest, "hub.url: is missing; name the topic that has news")
	case len(urls) > maxPublished:
		return invalid(http.StatusRequestEntityTooLarge, fmt.Sprintf("hub.url: at most %d topics in one request", maxPublished))
	}
	for range urls[1:] {
		f.clients.book(client, f.opts.Now())
	}
	var failures []*refusal
	var text strings.Builder
	for _, u := range urls {
		if err := f.publishOne(ctx, u); err != nil {
			r := f.refusalOf(websub.Publish, err)
			failures = append(failures, r)
			fmt.Fprintf(&text, "%s: %d %s\n", u, r.status, r.reason)
		} else {
			fmt.Fprintf(&text, "%s: 204 accepted\n", u)
		}
	}
	switch {
	case len(failures) == 0:
		w.WriteHeader(http.StatusNoContent)
	case len(failures) == len(urls):
		return failures[0] // where they differ, the others show when this one is mended
	default:
		w.WriteHeader(http.StatusMultiStatus)
		_, _ = io.WriteString(w, text.String())
	}
	return nil
}

func (f *Front) publishOne(ctx context.Context, written string) error {
	parsed, err := websub.ParseURL(written)
	if err != nil {
		return invalid(http.StatusBadRequest, "hub.url: "+err.Error())
	}
	topic, err := f.topics.Topic(ctx, parsed)
	if errors.Is(err, feed.ErrNotFound) {
		return unknownTopic("hub.url")
	}
	if err != nil {
		return err
	}
	switch verdict := f.news.tell(topic, f.opts.Now()); verdict {
	case newsFull:
		return limited(f.opts.Limits.PublishesApart, "too many topics have news; come back later")
	case newsLater:
		f.rouse()
		return f.topics.PublishLater(ctx, topic)
	}
	return f.check(ctx, topic)
}

// check looks at a topic. One that could not be looked at is looked at later.
func (f *Front) check(ctx context.Context, topic string) error {
	err := f.topics.Publish(ctx, topic)
	if err != nil {
		f.news.again(topic)
		return fmt.Errorf("publish %s: %w", topic, err)
	}
	f.metrics.checks.Inc()
	return nil
}

// checkDue looks at the topics that were published again while they had to wait, and says when the next ones may be.
func (f *Front) checkDue(ctx context.Context) (next time.Time) {
	due, next := f.news.due(f.opts.Now())
	for _, topic := range due {
		call, cancel := context.WithTimeout(ctx, callTime)
		err := f.check(call, topic)
		cancel()
		if err != nil && ctx.Err() == nil {
			f.opts.Logger.Warn("published topic is looked at later", "feed", topic, "err", err)
		}
	}
	return next
}

// maxNews bounds how many topics may have been published in a short time.
const maxNews = 10_000

// What is to be done about a topic that is published.
const (
	newsNow   = iota // look at it
	newsLater        // it was looked at a moment ago, and will be again
	newsFull         // too many topics
)

// news makes sure that a topic is looked at after each publish, but not more often than once in a while.
type news struct {
	apart time.Duration

	mu     sync.Mutex // held for map operations
	topics map[string]looked
}

type looked struct {
	at    time.Time
	again bool // when the time has come
}

func newNews(apart time.Duration) *news { return &news{apart: apart, topics: make(map[string]looked)} }

// tell notes that a topic was published, and says what is to be done.
func (n *news) tell(topic string, now time.Time) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	last, known := n.topics[topic]
	switch {
	case known && now.Sub(last.at) < n.apart:
		n.topics[topic] = looked{last.at, true}
		return newsLater
	case !known && len(n.topics) >= maxNews:
		return newsFull
	}
	n.topics[topic] = looked{at: now}
	return newsNow
}

// again notes that looking at a topic failed.
func (n *news) again(topic string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if last, known := n.topics[topic]; known {
		n.topics[topic] = looked{last.at, true}
	}
}

// due are the topics to be looked at now, and when there will be others (zero: none). It forgets those that may be looked
// at at once when they are published next.
func (n *news) due(now time.Time) (due []string, next time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for topic, last := range n.topics {
		turn := last.at.Add(n.apart)
		switch {
		case now.Before(turn):
			if next.IsZero() || turn.Before(next) {
				next = turn
			}
		case last.again:
			n.topics[topic] = looked{at: now}
			due = append(due, topic)
		default:
			delete(n.topics, topic)
		}
	}
	return due, next
}

// all are the topics that are to be looked at once more, whatever the time.
func (n *news) all() (topics []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for topic, last := range n.topics {
		if last.again {
			topics = append(topics, topic)
		}
	}
	clear(n.topics)
	return topics
}
