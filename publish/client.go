package publish

import (
	"crypto/sha256"
	"crypto/subtle"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/feedwire/feedwire/store/feed"
)

// The kinds of clients, the closed set behind the label client.
const (
	clientFacebook = "facebook"
	clientReader   = "reader"
	clientBrowser  = "browser"
	clientBot      = "bot"
	clientOther    = "other"
)

func clients() []string {
	return []string{clientFacebook, clientReader, clientBrowser, clientBot, clientOther}
}

// clientOf sorts a User-Agent into one of the kinds. Readers and bots also call themselves Mozilla, so that comes last.
func clientOf(userAgent string) string {
	agent := strings.ToLower(userAgent)
	has := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(agent, part) {
				return true
			}
		}
		return false
	}
	switch {
	case has("facebookexternalhit", "facebot", "meta-externalagent"):
		return clientFacebook
	case has("feedly", "miniflux", "freshrss", "inoreader", "netnewswire", "newsblur", "tiny tiny rss", "thunderbird",
		"reeder", "akregator", "feedbin", "feedparser", "liferea", "newsboat", "yarr", "rss"):
		return clientReader
	case has("bot", "crawl", "spider", "slurp", "scraper", "monitor"):
		return clientBot
	case has("mozilla/", "opera/"):
		return clientBrowser
	}
	return clientOther
}

// visitor is what a User-Agent says.
type visitor struct {
	client  string
	counted bool // it is the consumer's
}

// visitors remember what User-Agents say, since the same few come all the time. The zero value is not usable.
type visitors struct {
	counts func(userAgent string) bool
	known  atomic.Pointer[map[string]visitor] // never changed, but replaced
}

const (
	visitorsMost = 256 // that are remembered, of at most
	agentMost    = 512 // bytes each
)

func newVisitors(f feed.Outgoing) *visitors {
	v := &visitors{counts: func(userAgent string) bool { return f.Counts(userAgent, false) }}
	v.known.Store(&map[string]visitor{})
	return v
}

func (v *visitors) of(userAgent string) visitor {
	known := v.known.Load()
	who, ok := (*known)[userAgent]
	if ok {
		return who
	}
	who = visitor{clientOf(userAgent), v.counts(userAgent)}
	if len(*known) < visitorsMost && len(userAgent) <= agentMost {
		more := maps.Clone(*known)
		more[strings.Clone(userAgent)] = who
		v.known.CompareAndSwap(known, &more) // who comes second is remembered another time
	}
	return who
}

// value is the first value of a header field with a canonical name; Header.Get would look whether it is one.
func value(h http.Header, name string) string {
	if all := h[name]; len(all) > 0 {
		return all[0]
	}
	return ""
}

// prefetching reports a request that a browser makes before anyone asked for the page.
func prefetching(h http.Header) bool {
	return strings.Contains(value(h, "Sec-Purpose"), "prefetch") || value(h, "Purpose") == "prefetch"
}

// secret is what a request must show. Sums are compared, not the texts, so that the time tells nothing, the length included.
type secret struct{ username, password [sha256.Size]byte }

func newSecret(username, password string) *secret {
	if username == "" && password == "" {
		return nil
	}
	return &secret{sha256.Sum256([]byte(username)), sha256.Sum256([]byte(password))}
}

func (s *secret) shownBy(r *http.Request) bool {
	username, password, ok := r.BasicAuth()
	u, p := sha256.Sum256([]byte(username)), sha256.Sum256([]byte(password))
	equal := subtle.ConstantTimeCompare(u[:], s.username[:]) & subtle.ConstantTimeCompare(p[:], s.password[:])
	return ok && equal == 1
}
