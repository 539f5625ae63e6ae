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
