package websub

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Bounds of discovery.
const (
	maxURL  = 2048 // bytes
	maxHubs = 8
)

// Topic is the result of discovery (section 4).
type Topic struct {
	Hubs []string // absolute URLs in document order
	Self string   // absolute URL of the topic; empty: unknown
}

// Discover finds the hubs and the self link of a document, each in the Link header fields of the response or else in the
// body. Base is the URL of the document after redirects. It ignores URLs that are not http or https, contain a user name
// or are longer than 2048 bytes, and all hubs after the eighth.
func Discover(header http.Header, body []byte, base string) Topic {
	b, err := url.Parse(base)
	if err != nil {
		return Topic{}
	}
	var inHeader linkSet
	for _, l := range ParseLinks(header.Values("Link")) {
		if l.Anchor == "" {
			inHeader.add(l.Rels, l.Target)
		}
	}
	found := inHeader.topic(b)
	if len(found.Hubs) > 0 && found.Self != "" {
		return found
	}
	inBody := documentLinks(body)
	fromBody := inBody.topic(b)
	if len(found.Hubs) == 0 {
		found.Hubs = fromBody.Hubs
	}
	if found.Self == "" {
		found.Self = fromBody.Self
	}
	return found
}

// linkSet contains unresolved links.
type linkSet struct{ hubs, selves []string }

func (c *linkSet) add(rels []string, target string) {
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

// topic resolves the links. The first valid self link counts.
func (c *linkSet) topic(base *url.URL) Topic {
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

// resolve returns an absolute http or https URL without fragment, or "".
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
