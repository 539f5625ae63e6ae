package publish

import (
	"context"
	"fmt"
	"slices"

	"github.com/feedwire/feedwire/store/feed"
)

// Names are the names under which feeds are served, each form by its own: "production", "production.atom".
func (p *Publisher) Names() []string { return slices.Clone(p.serving.Load().types) }

// Topic is the URL by which the hub knows a feed, its rel=self; empty where there is no hub, or the feed is not for all.
func (p *Publisher) Topic(name string) string {
	if o := p.outlet(name); o != nil && o.hub() != "" {
		return o.self()
	}
	return ""
}

// Document is a feed as it is served now. It counts nothing. feed.ErrNotFound: there is no such feed; feed.ErrUnavailable:
// it cannot be brought up to date.
func (p *Publisher) Document(ctx context.Context, name string) (body []byte, contentType string, err error) {
	o := p.outlet(name)
	if o == nil {
		return nil, "", fmt.Errorf("feed %q: %w", name, feed.ErrNotFound)
	}
	now := o.current(ctx, true)
	switch {
	case now.err != nil:
		return nil, "", now.err
	case now.stale:
		return nil, "", fmt.Errorf("feed %s is out of date: %w", name, feed.ErrUnavailable)
	}
	return now.doc.plain.body, now.doc.plain.header["Content-Type"][0], nil
}

// self is where the feed is served; empty: not known.
func (o *outlet) self() string {
	if o.opts.PublicURL == "" {
		return ""
	}
	return o.opts.PublicURL + "/feed/" + o.name
}

// hub is where the feed can be subscribed to; empty: nowhere. What asks for a password is not brought to strangers.
func (o *outlet) hub() string {
	if o.secret != nil || o.profile.NoHub || o.self() == "" {
		return ""
	}
	return o.opts.HubURL
}
