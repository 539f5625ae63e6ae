package publish

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
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

// prefetching reports a request that a browser makes before anyone asked for the page.
func prefetching(h http.Header) bool {
	return strings.Contains(h.Get("Sec-Purpose"), "prefetch") || h.Get("Purpose") == "prefetch"
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
