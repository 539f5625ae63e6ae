package daemon

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/store/feed"
)

// Demo is a daemon whose pages are open to browsers on this machine.
type Demo struct{ app *app }

// NewDemo builds the daemon of the demo. Run must follow.
func NewDemo(ctx context.Context, cfg *config.Config, log *slog.Logger) (*Demo, error) {
	a, err := newApp(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	a.demo = true
	return &Demo{a}, nil
}

// Run runs the daemon until ctx ends.
func (d *Demo) Run(ctx context.Context) error { return d.app.Run(ctx) }

// URL is the base URL of the daemon.
func (d *Demo) URL() string { return "http://" + d.app.listener.Addr().String() }

// Metrics returns the metrics of the daemon.
func (d *Demo) Metrics() prometheus.Gatherer { return d.app.registry }

// Signals returns up to limit signals after an id and waits up to wait for the first.
func (d *Demo) Signals(ctx context.Context, after string, limit int, wait time.Duration) ([]feed.Signal, error) {
	return d.app.store.Signals.Signals(ctx, after, limit, wait)
}

// Articles returns up to 100 articles in a state of an outgoing feed.
func (d *Demo) Articles(ctx context.Context, typ string, state feed.State) ([]feed.Article, error) {
	q := feed.ArticleQuery{Type: typ, State: state, Limit: 100, Look: 100}
	page, err := d.app.store.Articles.FindArticles(ctx, q, []string{typ}, func(*feed.Article) bool { return true })
	return page.Articles, err
}
