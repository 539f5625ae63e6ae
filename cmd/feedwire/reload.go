package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/publish/desk"
	"github.com/feedwire/feedwire/store/feed"
)

// reloads is what became of reading the configuration again.
type reloads struct {
	one    sync.Mutex // held while it is read and taken over
	mu     sync.Mutex // guards newest
	newest desk.Reload

	sources, jobs chan struct{} // a token in each: what it is about may have changed
}

func newReloads() *reloads {
	return &reloads{sources: make(chan struct{}, 1), jobs: make(chan struct{}, 1)}
}

// last is the newest reload; its time is zero where there was none.
func (r *reloads) last() desk.Reload {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.newest
}

// cfg is the configuration in force.
func (a *app) cfg() *config.Config { return a.config.Load() }

// feeds are the outgoing feeds in force, and types their names.
func (a *app) feeds() []feed.Outgoing { return a.cfg().Outgoing() }

func (a *app) types() (all []string) {
	for _, f := range a.cfg().Feeds {
		all = append(all, f.Type)
	}
	return all
}

// reload reads the configuration again and has all rooms work by it from now on. Where anything is wrong with it nothing
// changes. Nothing that is under way is broken off or done again: polls, deliveries, answers and event streams go on.
func (a *app) reload(ctx context.Context) desk.Reload {
	defer a.systemd.reloading()()
	a.reloads.one.Lock()
	defer a.reloads.one.Unlock()
	done := desk.Reload{Time: time.Now().UTC(), Problems: []string{}, Changes: []desk.SettingChange{}}
	changes, err := a.takeOver()
	done.OK = err == nil
	a.metrics.reloaded(done.Time, done.OK)
	for _, p := range problemsOf(err) {
		done.Problems = append(done.Problems, p)
		a.log.ErrorContext(ctx, "the configuration was not taken over, nothing has changed", "err", p)
	}
	for _, c := range changes {
		done.Changes = append(done.Changes, desk.SettingChange(c))
		a.log.InfoContext(ctx, "setting changed", "key", c.Key, "from", c.From, "to", c.To, "restart", c.Restart)
	}
	if done.OK {
		a.log.InfoContext(ctx, "configuration reloaded", "changes", len(changes))
	}
	a.reloads.mu.Lock()
	a.reloads.newest = done
	a.reloads.mu.Unlock()
	return done
}

// problemsOf are the problems of a configuration, or the error that it is.
func problemsOf(err error) (all []string) {
	for _, p := range config.Problems(err) {
		all = append(all, p.Error())
	}
	if err != nil && len(all) == 0 {
		all = append(all, err.Error())
	}
	return all
}

// takeOver does all that can fail first, and only then changes anything.
func (a *app) takeOver() ([]config.Change, error) {
	if a.load == nil {
		return nil, errors.New("this daemon has no configuration that could be read again")
	}
	read, err := a.load()
	if err != nil {
		return nil, err
	}
	rules, err := readRules(read)
	if err != nil {
		return nil, err
	}
	token, err := apiToken(read, true)
	if err != nil {
		return nil, err
	}

	changes := read.Adopt(&a.given)
	a.given = *read
	read.PublicURL = a.cfg().PublicURL // a port of 0 has become one
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
	a.desk.Reload(a.deskOptions(read))
	tell(a.reloads.sources)
	tell(a.reloads.jobs)
	return changes, nil
}

// tell puts a token into a channel, unless there is one.
func tell(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// serveReload serves POST /-/reload.
func (a *app) serveReload(w http.ResponseWriter, r *http.Request) {
	done := a.reload(r.Context())
	if !done.OK {
		p := feed.ProblemInvalid.Problem(r, "the configuration was not taken over, nothing has changed:\n"+strings.Join(done.Problems, "\n"))
		w.Header().Set("Content-Type", feed.ProblemType)
		w.WriteHeader(p.Status)
		_ = json.NewEncoder(w).Encode(p) // the client may be gone
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(done) // the client may be gone
}
