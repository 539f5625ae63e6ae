package people

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/publish/copies"
	"github.com/feedwire/feedwire/store/feed"
)

// recent are the visitors who were identified last. They may go on reading for recentLife if the store becomes unavailable.
type recent = copies.Cache[proof, feed.Visitor]

const (
	maxRecent  = 10_000
	recentLife = time.Minute
)

// proof is a checksum of everything that identifies a visitor.
type proof [sha256.Size]byte

func newRecent(now func() time.Time) *recent {
	return copies.New[proof](copies.Options{Entries: maxRecent, Age: recentLife, Now: now}, func(feed.Visitor) int { return 0 })
}

var errUnknown = errors.New("the visitor is unknown")

// identify returns the visitor that find finds. For requests that change something the store must be available.
func (p *People) identify(r *http.Request, find func(*http.Request) (feed.Visitor, error)) (v feed.Visitor, err error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return find(r)
	}
	key := p.proofOf(r)
	v, _, err = p.recent.Read(key, func() (feed.Visitor, error) {
		v, err := find(r)
		if err == nil && !v.Known() {
			err = errUnknown
		}
		return v, err
	})
	if errors.Is(err, errUnknown) {
		p.recent.Remove(key)
		err = nil
	}
	return v, err
}

func (p *People) proofOf(r *http.Request) proof {
	var session string
	if cookie, err := r.Cookie(p.cookieName()); err == nil {
		session = cookie.Value
	}
	proxied := r.Header.Values(p.access.Load().ProxyHeader)
	return sha256.Sum256(fmt.Appendf(nil, "%q", [][]string{r.Header.Values("Authorization"), {session}, proxied, {feed.PeerAddress(r).String()}}))
}

// Forget ends the minute for which visitors may go on reading while the store is unavailable, because what they may do has changed.
func (p *People) Forget() { p.recent.Clear() }
