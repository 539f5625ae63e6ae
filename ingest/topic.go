package ingest

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

const topicConnections = 8 // that stay open

// TopicFetcher fetches the documents of open topics of the hub.
type TopicFetcher struct {
	client *fetch.Client
	now    func() time.Time
}

// NewTopicFetcher returns a TopicFetcher.
func NewTopicFetcher(opts fetch.Options, now func() time.Time) *TopicFetcher {
	return &TopicFetcher{fetch.New(opts, topicConnections), now}
}

// Reload replaces the options for new requests.
func (f *TopicFetcher) Reload(opts fetch.Options) { f.client.Reload(opts) }

// Fetch fetches the document of a topic, conditionally if the topic has validators. The document of a topic that was never checked is
// examined, too. Errors are of type *feed.PollError.
func (f *TopicFetcher) Fetch(ctx context.Context, t *feed.OpenTopic) (feed.OpenDocument, error) {
	known := feed.PollState{ETag: t.ETag, LastModified: t.LastModified, Validated: t.Validated}
	got, err := f.client.Get(ctx, &feed.Source{URL: t.URL, Poll: known}, fetch.Request{URL: t.URL})
	if err != nil || got.NotModified {
		return feed.OpenDocument{NotModified: got.NotModified}, err
	}
	got.UpdateValidators(&known)
	doc := feed.OpenDocument{
		ContentType: feed.TopicType(got.Header.Get("Content-Type")), Body: got.Body,
		ETag: known.ETag, LastModified: known.LastModified, Validated: known.Validated,
	}
	if t.Checked.IsZero() {
		_, err := parser.Parse(parser.NewRaw(got.Body, got.Header, got.URL, f.now()), t.URL, 1)
		doc.Feed, doc.Self = err == nil, websub.Discover(got.Header, got.Body, got.URL).Self
	}
	return doc, nil
}
