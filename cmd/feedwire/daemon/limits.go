package daemon

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"runtime/debug"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/publish/arrival"
	"github.com/feedwire/feedwire/publish/limits"
	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/embedded"
	"github.com/feedwire/feedwire/store/feed"
)

// shareMemory divides the memory between the daemon and its private Redis, and makes the runtime collect garbage in time for that.
func shareMemory(cfg *config.Config) setup.MemoryShares {
	set := setup.MemoryShares{Daemon: cfg.Limits.Memory, Redis: cfg.Store.MaxMemory}
	if inForce := debug.SetMemoryLimit(-1); set.Daemon == 0 && inForce < math.MaxInt64 {
		set.Daemon = inForce // GOMEMLIMIT
	}
	private := cfg.Store.Redis.Reveal() == "" && embedded.Mode(cfg.Store.Embedded) != embedded.ModeMemory
	share := setup.ShareMemory(setup.Memory(os.DirFS("/")), set, private)
	if share.Daemon > 0 {
		debug.SetMemoryLimit(share.Daemon)
	}
	return share
}

// newLimits returns the limits of the HTTP servers. Those that the configuration leaves open follow from the memory.
func (a *app) newLimits(cfg *config.Config) *limits.Limits {
	memory := cmp.Or(a.memory.Daemon, 1<<30)
	return limits.New(limits.Options{
		Connections: cmp.Or(cfg.Limits.Connections, int(min(max(memory>>18, 256), 2048))),
		PerClient:   cfg.Limits.ConnectionsPerClient,
		Bytes:       cmp.Or(cfg.Limits.RequestBytes, max(min(max(memory/16, 8<<20), 32<<20), 4*cfg.Fetch.MaxBytes)),
		Trusted:     a.people.IsProxy,
		Refuse:      refuseBody,
		Registerer:  a.registry,
	})
}

// refuseBody responds 503 to a request whose body found no memory.
func refuseBody(w http.ResponseWriter, r *http.Request, err error) {
	refuse(w, r, feed.ProblemBusy, err.Error())
}

// refuseCredentials responds 429 to credentials that must wait.
func refuseCredentials(w http.ResponseWriter, r *http.Request, wait people.ThrottledError) {
	refuse(w, r, feed.ProblemThrottled, fmt.Sprintf("your address sent too many wrong credentials; correct them and try again in %s",
		web.Length(wait.RetryAfter())))
}

// refuse responds with a problem, and with plain text outside the API.
func refuse(w http.ResponseWriter, r *http.Request, kind feed.ProblemKind, text string) {
	problem := kind.Problem(r, text)
	if web.IsAPI(r.URL.Path) {
		web.WriteProblem(w, problem)
		return
	}
	http.Error(w, text, problem.Status)
}

// limited limits the connections of a listener and watches them. The limits are below, because a watched connection stays open
// after the response.
func (a *app) limited(l net.Listener) net.Listener { return a.receipts.Listener(a.limits.Listener(l)) }

// connContext makes a connection known to the handlers that look at it.
func (a *app) connContext(ctx context.Context, c net.Conn) context.Context {
	ctx = a.receipts.ConnContext(ctx, c)
	if watched, ok := c.(*arrival.Conn); ok {
		c = watched.Conn
	}
	return a.limits.ConnContext(ctx, c)
}
