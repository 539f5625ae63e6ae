package websub

import (
	"cmp"
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
	found := links{base: b}
	for _, l := range ParseLinks(header.Values("Link")) {
		if l.Anchor == "" {
			found.add(l.Rels, l.Target)
		}
	}
	if len(found.Hubs) == 0 || found.Self == "" {
		inBody := links{base: b}
		inBody.addDocument(body)
		if len(found.Hubs) == 0 {
			found.Hubs = inBody.Hubs
		}
		found.Self = cmp.Or(found.Self, inBody.Self)
	}
	return found.Topic
}

// links collects the hubs and the self link of a document.
type links struct {
	Topic
	base *url.URL
}

// add adds a link. The first valid self link counts.
func (l *links) add(rels []string, target string) {
	for _, rel := range rels {
		switch {
		case rel == "self" && l.Self == "":
			l.Self = resolve(l.base, target)
		case rel == "hub" && len(l.Hubs) < maxHubs:
			if hub := resolve(l.base, target); hub != "" && !slices.Contains(l.Hubs, hub) {
				l.Hubs = append(l.Hubs, hub)
			}
		}
	}
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
