package websub

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Bounds of what a topic may say of itself.
const (
	maxURL  = 2048 // bytes
	maxHubs = 8
)

// Topic is what a document says of itself (section 4): where it is distributed and under which name.
type Topic struct {
	Hubs []string // absolute URLs, in the order in which they were named
	Self string   // absolute URL: the topic; empty: not said
}

// Discover finds the hubs and the name of a topic in an answer to a GET: in its Link headers first, for each of the two,
// and else in the document. Base is the URL of the document after redirects. URLs that are not of the web, that hold a
// user name or are longer than 2048 bytes do not count, nor do hubs beyond the eighth.
func Discover(header http.Header, body []byte, base string) Topic {
	b, err := url.Parse(base)
	if err != nil {
		return Topic{}
	}
	var said collector
	for _, l := range ParseLinks(header.Values("Link")) {
		if l.Anchor == "" {
			said.add(l.Rels, l.Target)
		}
	}
	found := said.topic(b)
	if len(found.Hubs) > 0 && found.Self != "" {
		return found
	}
	inside := documentLinks(body)
	written := inside.topic(b)
	if len(found.Hubs) == 0 {
		found.Hubs = written.Hubs
	}
	if found.Self == "" {
		found.Self = written.Self
	}
	return found
}

// collector gathers links as they are written.
type collector struct{ hubs, selves []string }

func (c *collector) add(rels []string, target string) {
	if len(c.hubs)+len(c.selves) >= maxLinks {
		return
	}
	if slices.Contains(rels, "hub") {
		c.hubs = append(c.hubs, target)
	}
	if slices.Contains(rels, "self") {
		c.selves = append(c.selves, target)
	}
}

// topic resolves what was gathered. Of several names the first one counts.
func (c *collector) topic(base *url.URL) Topic {
	var t Topic
	for _, raw := range c.hubs {
		if u := resolve(base, raw); u != "" && len(t.Hubs) < maxHubs && !slices.Contains(t.Hubs, u) {
			t.Hubs = append(t.Hubs, u)
		}
	}
	for _, raw := range c.selves {
		if t.Self = resolve(base, raw); t.Self != "" {
			break
		}
	}
	return t
}

// resolve is the absolute form of a URL of the web, without a fragment; empty for anything else.
func resolve(base *url.URL, raw string) string {
	raw = strings.TrimSpace(raw)
	if raw == "" || len(raw) > maxURL {
		return ""
	}
	ref, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	u := base.ResolveReference(ref)
	if (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil {
		return ""
	}
	u.Fragment, u.RawFragment = "", ""
	if s := u.String(); len(s) <= maxURL {
		return s
	}
	return ""
}
