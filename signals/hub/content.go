package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// publishContent handles a publish request whose body is the new content of a topic. Its parameters are in the query.
func (f *Front) publishContent(ctx context.Context, w http.ResponseWriter, r *http.Request, query url.Values) error {
	if !f.opts.Publisher(r) {
		return rejected(http.StatusForbidden, "Authorization: content requires a token of this hub that may change sources")
	}
	urls := websub.Published(query)
	if len(urls) != 1 {
		return rejected(http.StatusBadRequest, "hub.url: name the one topic of the content")
	}
	topic, err := f.knownTopic(ctx, "hub.url", urls[0])
	if err != nil {
		return err
	}
	limit := f.current.Load().ContentBytes
	body, err := websub.ReadDelivery(r, limit)
	switch {
	case errors.Is(err, websub.ErrTooLarge):
		return rejected(http.StatusRequestEntityTooLarge, fmt.Sprintf("the content must not be larger than %d bytes", limit))
	case err != nil:
		return rejected(http.StatusBadRequest, "the content cannot be read: it is incomplete, or its encoding is neither identity nor gzip")
	case len(body) == 0:
		return rejected(http.StatusBadRequest, "the content is missing; send it as the body")
	}
	if err := f.topics.PublishContent(ctx, topic, r.Header.Get("Content-Type"), body); err != nil {
		return contentRejection(err)
	}
	f.opts.Logger.Info("content published", "feed", topic, "bytes", len(body))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// contentRejection returns the response for an error of Topics.PublishContent.
func contentRejection(err error) error {
	if unreadable, ok := errors.AsType[*feed.PollError](err); ok {
		return rejected(http.StatusUnprocessableEntity, "the content is not a feed that can be read: "+feed.ShortLine(unreadable.Reason))
	}
	if over, ok := errors.AsType[*feed.PushLimitError](err); ok {
		return limited(over.Wait, "too many entries in a minute; retry later")
	}
	if over, ok := errors.AsType[*feed.DayLimitError](err); ok {
		return limited(over.Wait, "too many new and changed entries in a day; retry later")
	}
	switch {
	case errors.Is(err, feed.ErrConflict):
		return rejected(http.StatusConflict, "hub.url: "+strings.TrimSuffix(feed.ShortLine(err.Error()), ": "+feed.ErrConflict.Error()))
	case errors.Is(err, feed.ErrNotFound), errors.Is(err, feed.ErrLeaseLost): // the topic was removed meanwhile
		return unknownTopic("hub.url")
	}
	return err
}

// PublishContent implements Topics. The content of a source is parsed as a document that its hub pushes; that of an open topic becomes
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
