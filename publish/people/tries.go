package people

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of what People remembers of clients that send an Authorization header.
const (
	maxTries     = 20_000          // clients that must wait, and credentials that were right
	provenFor    = 24 * time.Hour  // credentials that were right
	countTimeout = 1 * time.Second // for the store
	localWait    = time.Minute     // after a wrong try while the store cannot count
	localFree    = 10              // wrong tries while the store cannot count
)

// tries knows which clients must wait after wrong credentials in an Authorization header. The store counts them together with
// sign-ins, for all daemons.
type tries struct {
	mu     sync.Mutex
	until  map[string]time.Time // by client
	wrong  map[string]int       // that the store could not count, by client
	proven map[string]time.Time // last use of right credentials, by client and checksum of the header
}

// Throttle refuses credentials of clients that sent too many wrong ones, as SignIn does. Credentials that were right from the
// same client are not refused, so no one is locked out by others behind the same address. Requests without credentials, and
// sessions, pass.
func (p *People) Throttle(next http.Handler, refuse func(http.ResponseWriter, *http.Request, ThrottledError)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			if wait := p.mustWait(r); wait > 0 {
				p.signIns.WithLabelValues(signInThrottled).Inc()
				w.Header().Set("Retry-After", strconv.Itoa(int(wait.Seconds())+1))
				refuse(w, r, ThrottledError(wait))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// mustWait returns how long the credentials of a request must wait.
func (p *People) mustWait(r *http.Request) time.Duration {
	client, now := feed.ClientNetwork(p.client(r)), p.opts.Now()
	p.tries.mu.Lock()
	defer p.tries.mu.Unlock()
	until, waits := p.tries.until[client]
	switch {
	case !waits:
		return 0
	case !now.Before(until):
		delete(p.tries.until, client)
		return 0
	case now.Sub(p.tries.proven[credentials(client, r)]) < provenFor:
		return 0
	}
	return until.Sub(now)
}

// credentials identifies the credentials of a client.
func credentials(client string, r *http.Request) string {
	return client + " " + feed.HashSecret(r.Header.Get("Authorization"))
}

// Tried records whether the credentials in the Authorization header of a request were right. method is "token" or "basic".
func (p *People) Tried(r *http.Request, method string, right bool) {
	client, now := feed.ClientNetwork(p.client(r)), p.opts.Now()
	if right {
		p.tries.mu.Lock()
		defer p.tries.mu.Unlock()
		put(&p.tries.proven, credentials(client, r), now)
		return
	}
	p.opts.OnFailure(method)
	ctx, cancel := context.WithTimeout(r.Context(), countTimeout)
	defer cancel()
	wait, err := p.store.CountAttempt(ctx, client, client) // each address is an account of its own: no feed or token is locked for all
	p.tries.mu.Lock()
	defer p.tries.mu.Unlock()
	delete(p.tries.proven, credentials(client, r))
	if err != nil {
		put(&p.tries.wrong, client, p.tries.wrong[client]+1)
		if p.tries.wrong[client] > localFree {
			wait = localWait
		}
	} else {
		delete(p.tries.wrong, client)
	}
	if wait > 0 {
		put(&p.tries.until, client, now.Add(wait))
	}
}

// put adds a value to a bounded map. If the map is full, it forgets another one.
func put[V any](all *map[string]V, key string, value V) {
	if *all == nil {
		*all = make(map[string]V)
	}
	if _, known := (*all)[key]; !known && len(*all) >= maxTries {
		for other := range *all {
			delete(*all, other)
			break
		}
	}
	(*all)[key] = value
}
