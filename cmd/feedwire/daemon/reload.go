package daemon

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/publish/desk/settings"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// reloads holds the result of the newest reload.
type reloads struct {
	applying      sync.Mutex // serialises reloads
	newest        atomic.Pointer[settings.Reload]
	sources, jobs chan struct{} // wake configure and runJobs
}

func newReloads() *reloads {
	r := &reloads{sources: make(chan struct{}, 1), jobs: make(chan struct{}, 1)}
	r.newest.Store(&settings.Reload{})
	return r
}

// last returns the newest reload. Its time is zero if there was none.
func (r *reloads) last() settings.Reload { return *r.newest.Load() }

// cfg returns the active configuration.
func (a *app) cfg() *config.Config { return a.config.Load() }

// feeds returns the active outgoing feeds.
func (a *app) feeds() feed.OutgoingFeeds { return a.cfg().Outgoing() }

// reload reads the configuration and applies it to all rooms. If the configuration is invalid, nothing changes. Active polls,
// deliveries, responses and event streams continue.
func (a *app) reload(ctx context.Context) settings.Reload {
	defer a.systemd.reloading()()
	a.reloads.applying.Lock()
	defer a.reloads.applying.Unlock()
	done := settings.Reload{Time: time.Now().UTC(), Problems: []string{}, Changes: []feed.SettingChange{}}
	changes, err := a.applyConfig()
	done.OK = err == nil
	a.metrics.reloaded(done.Time, done.OK)
	if err != nil {
		done.Problems = strings.Split(err.Error(), "\n") // config.Load returns one in each line
	}
	for _, p := range done.Problems {
		a.log.ErrorContext(ctx, "configuration invalid, nothing changed", "err", p)
	}
	for _, c := range changes {
		done.Changes = append(done.Changes, c)
		a.log.InfoContext(ctx, "setting changed", "key", c.Key, "from", c.From, "to", c.To, "restart", c.Restart)
	}
	if done.OK {
		a.log.InfoContext(ctx, "configuration reloaded", "changes", len(changes))
	}
	a.reloads.newest.Store(&done)
	return done
}

// applyConfig does everything that can fail before it changes anything.
func (a *app) applyConfig() ([]feed.SettingChange, error) {
	if a.load == nil {
		return nil, errors.New("this daemon cannot reload its configuration")
	}
	read, err := a.load()
	if err != nil {
		return nil, err
	}
	rules, err := setup.ReadRules(read)
	if err != nil {
		return nil, err
	}
	token, err := setup.Token(read, true)
	if err != nil {
		return nil, err
	}

	changes := read.Adopt(&a.given)
	a.given = *read
	read.PublicURL = a.cfg().PublicURL // with the port that 0 became
	a.config.Store(read)
	a.token = token
	a.warn(rules)
	if a.setLog != nil {
		a.setLog(read.Log)
	}
	a.store.Reload(a.storeOptions(read))
	a.ingester.Reload(a.ingestOptions(read))
	a.publisher.Reload(read.Outgoing(), a.publishOptions(read, rules))
	a.intake.Reload(read.Outgoing())
	a.engine.Reload(a.engineOptions(read))
	a.front.Reload(a.frontOptions(read))
	a.topics.Reload(topicFetchOptions(read))
	a.lists.SetRules(read.Groups)
	a.reloadDesk(read)
	retry.Wake(a.reloads.sources)
	retry.Wake(a.reloads.jobs)
	return changes, nil
}

// serveReload serves POST /-/reload.
func (a *app) serveReload(w http.ResponseWriter, r *http.Request) {
	done := a.reload(r.Context())
	if !done.OK {
		web.WriteProblem(w, feed.ProblemInvalid.Problem(r, "the configuration is invalid; nothing changed:\n"+strings.Join(done.Problems, "\n")))
		return
	}
	web.JSON(w, http.StatusOK, done)
}
