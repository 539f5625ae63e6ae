package signals

import (
	"context"
	"net/http"
	"slices"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

type client struct {
	events  chan *event       // filled by the reader once the client follows
	kinds   []feed.SignalKind // empty: all
	feedURL string            // empty: all
	brief   bool              // omit the texts of posts
	last    signalID          // the last signal that the client has; owned by the handler

	ready        <-chan struct{}    // closed once the reader knows its position
	cancel       context.CancelFunc // ends the handler
	following    bool               // guarded by Events.mu
	disconnected endReason          // guarded by Events.mu
}

func (c *client) wants(ev *event) bool {
	return (len(c.kinds) == 0 || slices.Contains(c.kinds, ev.kind)) && (c.feedURL == "" || c.feedURL == ev.feedURL)
}

// parse reads the parameters of a request. Resume reports whether they name a signal to resume from.
func (c *client) parse(r *http.Request) (resume bool, err error) {
	query := web.QueryOf(r)
	field, after := "Last-Event-ID", r.Header.Get("Last-Event-ID")
	if after == "" {
		field, after = "after", query.Get("after")
	}
	if c.last, err = parseSignalID(after); err != nil {
		query.Refuse(field, err.Error())
	}
	c.feedURL = query.Get("feed_url")
	switch query.Get("content") {
	case "", "1":
	case "0":
		c.brief = true
	default:
		query.Refuse("content", "use 0 to omit the texts of posts, or 1")
	}
	for _, k := range query.Values["kind"] {
		kind := feed.SignalKind(k)
		if !slices.Contains(feed.SignalKinds(), kind) {
			query.Refuse("kind", "unknown kind: use feed_created, feed_modified, post_created or post_modified")
		}
		c.kinds = append(c.kinds, kind)
	}
	return after != "" || query.Has("after"), query.Err
}

// send writes an event unless the client already has it or does not want it.
func (c *client) send(out *web.Stream, ev *event) error {
	if !ev.id.after(c.last) {
		return nil
	}
	c.last = ev.id
	if !c.wants(ev) {
		return nil
	}
	return out.Write(ev.frameFor(c))
}
