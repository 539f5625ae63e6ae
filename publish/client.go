package publish

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/feedwire/feedwire/store/feed"
)

// clients are the kinds of clients, the values of the label client, each with words of its User-Agents in lower case. Readers and
// bots also call themselves Mozilla, so browsers come after them.
var clients = []struct {
	kind  string
	words []string
}{
	{"facebook", []string{"facebookexternalhit", "facebot", "meta-externalagent"}},
	{"reader", []string{
		"feedly", "miniflux", "freshrss", "inoreader", "netnewswire", "newsblur", "tiny tiny rss", "thunderbird",
		"reeder", "akregator", "feedbin", "feedparser", "liferea", "newsboat", "yarr", "rss",
	}},
	{"bot", []string{"bot", "crawl", "spider", "slurp", "scraper", "monitor"}},
	{"browser", []string{"mozilla/", "opera/"}},
	{"other", nil},
}

// clientOf classifies a User-Agent.
func clientOf(userAgent string) string {
	agent := strings.ToLower(userAgent)
	for _, c := range clients {
		if slices.ContainsFunc(c.words, func(word string) bool { return strings.Contains(agent, word) }) {
			return c.kind
		}
	}
	return "other"
}

// agent is the classification of a User-Agent.
type agent struct {
	client  string
	counted bool // it is the consumer
}

// agents caches agents by User-Agent, since few User-Agents make nearly all requests.
type agents struct {
	counts func(userAgent string) bool
	known  atomic.Pointer[map[string]agent] // replaced, never changed
}

const (
	maxAgents     = 256
	maxAgentBytes = 512 // of a cached User-Agent
)

func newAgents(f feed.Outgoing) *agents {
	a := &agents{counts: func(userAgent string) bool { return f.IsConsumer(userAgent, false) }}
	a.known.Store(&map[string]agent{})
	return a
}

func (a *agents) of(userAgent string) agent {
	known := a.known.Load()
	who, ok := (*known)[userAgent]
	if ok {
		return who
	}
	who = agent{clientOf(userAgent), a.counts(userAgent)}
	if len(*known) < maxAgents && len(userAgent) <= maxAgentBytes {
		more := maps.Clone(*known)
		more[strings.Clone(userAgent)] = who
		a.known.CompareAndSwap(known, &more) // of two concurrent additions one is lost, until the next request
	}
	return who
}

// value returns the first value of a header field with a canonical name. Unlike Header.Get it does not canonicalise.
func value(h http.Header, name string) string {
	if all := h[name]; len(all) > 0 {
		return all[0]
	}
	return ""
}

// prefetch reports a request of a browser for a page that its user has not opened.
func prefetch(h http.Header) bool {
	return strings.Contains(value(h, "Sec-Purpose"), "prefetch") || value(h, "Purpose") == "prefetch"
}

// private reports whether the feed requires credentials.
func (o *outlet) private() bool { return o.Username != "" || o.Password != "" }

// proves is admits, and reports the credentials to the options.
func (o *outlet) proves(r *http.Request) bool {
	right := o.admits(r)
	if o.opts.OnCredentials != nil && r.Header.Get("Authorization") != "" {
		o.opts.OnCredentials(r, right)
	}
	return right
}

// admits reports whether a request for a private feed has its credentials.
func (o *outlet) admits(r *http.Request) bool {
	username, password, _ := r.BasicAuth() // no user name contains a colon
	return feed.SameSecret(username+":"+password, feed.HashSecret(o.Username+":"+o.Password))
}
