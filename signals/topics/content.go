package topics

import (
	"context"
	"errors"
	"fmt"

	"github.com/feedwire/feedwire/store/feed"
)

// PublishContent distributes a document that a publisher sent as the next version of a topic. The content of a source is parsed as a document that its hub pushes; that of an open topic becomes
// its next version unless it is the same as the newest one.
func (c *Catalog) PublishContent(ctx context.Context, topic, contentType string, body []byte) error {
	topic = c.current(topic)
	if own, _ := c.outgoing(topic); own != "" || c.opts.Republished.SourceOf(topic) != "" {
		return fmt.Errorf("this installation makes the content of the topic: %w", feed.ErrConflict)
	}
	source, err := c.store.SourceByURL(ctx, topic)
	switch {
	case err == nil && source.Paused:
		return fmt.Errorf("the source is paused: %w", feed.ErrConflict)
	case err == nil:
		return c.opts.Accept(ctx, source, contentType, body)
	case !errors.Is(err, feed.ErrNotFound):
		return err
	}
	if err := c.store.ReserveContent(ctx, topic, len(body), c.open().Bytes); err != nil {
		return err
	}
	_, err = c.store.DistributeServed(ctx, feed.Distribution{Topic: topic, ContentType: feed.TopicType(contentType), Body: body, Whole: true})
	return err
}
