package delivery

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// Options configures an Engine. The zero value works.
type Options struct {
	Daemon    string // names this engine in its claims, the same after a restart; default random
	HubURL    string // named in deliveries; empty: omitted
	UserAgent string // default "feedwire (+https://github.com/feedwire/feedwire)"
	Method    string // of signatures if the subscriber chose none; default sha256

	Workers    int             // concurrent deliveries, without slow ones; default 64
	PerHost    int             // concurrent deliveries to one host, without slow ones; default 8
	Timeout    time.Duration   // of one delivery; default 10 s
	FirstRetry time.Duration   // delay before the second attempt, doubled for each further one; default 10 s
	MaxRetry   time.Duration   // longest delay between two attempts; default 6 h
	Horizon    time.Duration   // how long to retry a version; default 24 h
	Attempts   int             // that are stored for each subscription; 0: none
	Served     func() []Served // topics that are distributed whenever their document changes; nil: none
	// Lists returns topics that are distributed at the beginning of a minute if their document has changed; nil: there are none.
	Lists func(ctx context.Context) ([]Served, error)
	Pings []string // URLs of other hubs that are pinged; subscriptions of other hubs end

	// Shape returns a version in the form that a subscriber wants, with a nil Body if nothing in it is for the subscriber. Nil: there
	// are no forms.
	Shape func(ctx context.Context, d feed.Distribution, form feed.Form) (feed.Distribution, error)
	// Operator is the transport to what the operator configured: webhooks and other hubs. It may reach networks that the
	// callbacks of subscribers, who are strangers, may not. Nil means the transport of the engine.
	Operator http.RoundTripper

	OnPanic    func(component string) // called with "signal" for each recovered panic; nil disables it
	Logger     *slog.Logger           // nil discards
	Registerer prometheus.Registerer  // nil disables registration
	Now        func() time.Time       // nil means time.Now
}

// Bounds of deliveries that take longer than slowAfter, in addition to Workers and PerHost.
const (
	maxSlow     = 512
	slowPerHost = 32
)

func (o Options) withDefaults() Options {
	o.Daemon = cmp.Or(o.Daemon, rand.Text())
	o.UserAgent = cmp.Or(o.UserAgent, "feedwire (+https://github.com/feedwire/feedwire)")
	o.Method = cmp.Or(o.Method, websub.SHA256)
	o.Workers = cmp.Or(o.Workers, 64)
	o.PerHost = cmp.Or(o.PerHost, 8)
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	o.FirstRetry = cmp.Or(o.FirstRetry, 10*time.Second)
	o.MaxRetry = cmp.Or(o.MaxRetry, 6*time.Hour)
	o.Horizon = cmp.Or(o.Horizon, 24*time.Hour)
	if o.Shape == nil {
		o.Shape = func(_ context.Context, d feed.Distribution, _ feed.Form) (feed.Distribution, error) { return d, nil }
	}
	if o.OnPanic == nil {
		o.OnPanic = func(string) {}
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}
