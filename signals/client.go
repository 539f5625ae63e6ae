package signals

import (
	"net/http"
	"slices"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// client is one stream. Its handler owns it.
type client struct {
	kinds   []feed.SignalKind // empty: all
	feedURL string            // empty: all
	brief   bool              // omit the texts of posts
	last    signalID          // the last signal that the client has
	live    bool              // it has been up to date with the reader
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
	c.kinds, c.brief = query.Kinds(), query.Number("content", 1, 0, 1) == 0
	return after != "" || query.Has("after"), query.Err
}

// send writes an event unless the client does not want it.
func (c *client) send(out *web.Stream, ev *event) error {
	c.last = ev.id
	switch {
	case !c.wants(ev):
		return nil
	case c.brief:
		return out.Write(ev.brief())
	}
	return out.Write(ev.frame)
}
