package hub

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/store/feed"
)

// FrontOptions configures a Front. The zero value works.
type FrontOptions struct {
	URL        string // public URL of the hub; callbacks on its host are rejected. Empty: unknown
	Stylesheet string // address of the style sheet of its page on this site; empty: none
	UserAgent  string // of verification requests; default "feedwire (+https://github.com/feedwire/feedwire)"

	DefaultLease time.Duration     // if the subscriber requests none; default 10 days (section 8.2)
	MinLease     time.Duration     // shorter leases are extended; default 1 h
	MaxLease     time.Duration     // longer leases are shortened; default 30 days
	TopicLeases  []feed.TopicLease // instead of these three; the first that applies counts
	Timeout      time.Duration     // of one verification request; default 15 s
	FirstRetry   time.Duration     // delay before the second attempt to verify, five times longer for each further one; default 1 min
	Badges       bool              // whether anyone may get the number of subscribers of a topic
	RemovedEvery time.Duration     // interval of checks for removed topics; default 25 s
	Limits       Limits            // all of them, or none for DefaultLimits

	// AddTopic adds an unknown topic once a callback has confirmed its subscription, or a publisher has named it. It limits how
	// many it adds; its error is sent to the subscriber. Topics.ResolveTopic then returns the name of the topic, which may be
	// another one. Nil: unknown topics are rejected.
	AddTopic func(ctx context.Context, topic string) error
	// IsProxy reports whether a trusted proxy has an address. Nil: none has.
	IsProxy func(netip.Addr) bool
	// Trusted reports whether a request may retrieve topics and replay deliveries. Nil: none may.
	Trusted func(*http.Request) bool

	// Publisher reports whether a request may publish the content of topics. Nil: none may.
	Publisher    func(*http.Request) bool
	ContentBytes int64 // size of published content; default 1 MiB

	// Test sends a test message to a subscriber, and returns the HTTP status, or 0, and the class of the response. Nil: tests are
	// refused.
	Test func(ctx context.Context, sub feed.Subscription) (status int, reason string)

	OnPanic    func(component string) // called with "signal" for each recovered panic; nil disables it
	Logger     *slog.Logger           // nil discards
	Registerer prometheus.Registerer  // nil disables registration
	Now        func() time.Time       // nil means time.Now
}

func (o FrontOptions) withDefaults() FrontOptions {
	o.UserAgent = cmp.Or(o.UserAgent, "feedwire (+https://github.com/feedwire/feedwire)")
	o.DefaultLease = cmp.Or(o.DefaultLease, 10*24*time.Hour)
	o.MinLease = cmp.Or(o.MinLease, time.Hour)
	o.MaxLease = cmp.Or(o.MaxLease, 30*24*time.Hour)
	o.Timeout = cmp.Or(o.Timeout, 15*time.Second)
	o.FirstRetry = cmp.Or(o.FirstRetry, time.Minute)
	o.RemovedEvery = cmp.Or(o.RemovedEvery, 25*time.Second)
	o.ContentBytes = cmp.Or(o.ContentBytes, 1<<20)
	o.Limits = cmp.Or(o.Limits, DefaultLimits())
	if o.Trusted == nil {
		o.Trusted = func(*http.Request) bool { return false }
	}
	if o.Publisher == nil {
		o.Publisher = func(*http.Request) bool { return false }
	}
	if o.IsProxy == nil {
		o.IsProxy = func(netip.Addr) bool { return false }
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

// leaseOf returns the lease of a topic.
func (o *FrontOptions) leaseOf(topic string) feed.Lease {
	if i := slices.IndexFunc(o.TopicLeases, func(l feed.TopicLease) bool { return l.Applies(topic) }); i >= 0 {
		return o.TopicLeases[i].Lease
	}
	return feed.Lease{Min: o.MinLease, Default: o.DefaultLease, Max: o.MaxLease}
}
