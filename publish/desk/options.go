package desk

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/publish/desk/articles"
	"github.com/feedwire/feedwire/publish/desk/hub"
	"github.com/feedwire/feedwire/publish/desk/settings"
	"github.com/feedwire/feedwire/store/feed"
)

// Options are what may be chosen about a Desk. With the zero value nobody is let in.
type Options struct {
	Logger     *slog.Logger          // nil: discard
	Registerer prometheus.Registerer // nil: metrics are kept nowhere
	Now        func() time.Time      // nil: time.Now

	Feeds     []feed.Outgoing // as configured, in the order in which pages show them
	Token     string          // of the API (bearer), for everything; empty: there is none
	SignIn    SignIn          // how people are known
	PublicURL string          // under which clients reach the daemon, "https://news.example.org"; empty: paths only
	Version   string          // shown; empty: "unknown"
	StoreKind func() string   // what the store is now, "embedded redis 7.0.15"; nil: not shown

	// OpenPages reports whether a request may see the pages without signing in, as an editor does. It opens nothing of the
	// API. nil: none may.
	OpenPages func(*http.Request) bool
	// Republished gives the URLs of the feeds of a source at this daemon; nil: there are none.
	Republished func(id string) []string
	// Trace polls a source at once, with full as PollInFull does, and tells what happened; nil: that cannot be asked for.
	// Errors as for PollSource.
	Trace     func(ctx context.Context, id string, full bool) (feed.Trace, error)
	Pace      func(*feed.Source) []feed.PaceRule                                 // what decides when it is polled; nil: not told
	Discover  func(ctx context.Context, url string) ([]feed.Candidate, error)    // feeds behind a URL; nil: none
	ReadOPML  func(body []byte, contentType string) ([]feed.ListedSource, error) // nil: refuses all
	WriteOPML func(w io.Writer, sources []feed.Source) error                     // nil: writes nothing

	// Blocked tells why an outgoing feed leaves an article out, or would; empty: it does not. nil: nobody knows.
	Blocked func(a *feed.Article, typ string) string
	// Held are the UUIDs of articles that an outgoing feed leaves out, as far as it has tried them; nil: nobody knows.
	Held func(typ string) []string
	// Preview shows an article as an outgoing feed would carry it. Errors as of the store. nil: it cannot be asked for.
	Preview func(ctx context.Context, a feed.Article, typ string) (articles.Preview, error)
	// Peek fetches a feed and stores nothing. feed.ErrInvalid: its URL cannot be used. nil: nothing can be fetched.
	Peek func(ctx context.Context, url string) (feed.Document, error)
	// Document is an outgoing feed as it is served now; nil: it cannot be shown.
	Document func(ctx context.Context, typ string) (body []byte, contentType string, err error)
	Events   http.Handler       // streams the signals; nil: pages do not follow them
	Settings []settings.Setting // in force
	// LastReload tells how the configuration was last read again; with a zero time it was not. nil: it cannot be.
	LastReload func() settings.Reload

	Hub hub.Store // nil: there is no hub
	// TestWebhook as in hub.Options.
	TestWebhook func(ctx context.Context, webhook feed.Subscription) (status int, reason string)

	OnTransition  func(typ string, from, to feed.State) // called for each change of state done here; nil: nobody cares
	OnAuthFailure func(method string)                   // called with "token", "password" or "proxy"; nil: nobody cares
	OnPanic       func(component string)                // told of each recovered panic, component "import"; nil: nobody
}

// SignIn configures how people sign in. With the zero value they cannot, and only the token of the daemon opens the API.
type SignIn struct {
	Store SignStore // nil: nobody can sign in
	Cost  int       // of bcrypt; 0: 12

	ProxyHeader   string         // header with the name of the visitor, "X-Forwarded-User"; empty: none
	ProxyNetworks []netip.Prefix // of trusted proxies, which also send the address of their clients
	ProxyRole     feed.Role      // of visitors without an account; empty: no role
}

// setDefaults replaces missing functions by ones that do nothing.
func (opts *Options) setDefaults() {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.OnTransition == nil {
		opts.OnTransition = func(string, feed.State, feed.State) {}
	}
	if opts.OnPanic == nil {
		opts.OnPanic = func(string) {}
	}
	if opts.Blocked == nil {
		opts.Blocked = func(*feed.Article, string) string { return "" }
	}
	if opts.Held == nil {
		opts.Held = func(string) []string { return nil }
	}
	if opts.Peek == nil {
		opts.Peek = func(context.Context, string) (feed.Document, error) {
			return feed.Document{}, errors.New("this daemon cannot fetch it now")
		}
	}
	if opts.Republished == nil {
		opts.Republished = func(string) []string { return nil }
	}
	if opts.Pace == nil {
		opts.Pace = func(*feed.Source) []feed.PaceRule { return nil }
	}
	if opts.Discover == nil {
		opts.Discover = func(context.Context, string) ([]feed.Candidate, error) { return nil, nil }
	}
	if opts.ReadOPML == nil {
		opts.ReadOPML = func([]byte, string) ([]feed.ListedSource, error) { return nil, feed.ErrInvalid }
	}
	if opts.WriteOPML == nil {
		opts.WriteOPML = func(io.Writer, []feed.Source) error { return nil }
	}
	if opts.LastReload == nil {
		opts.LastReload = func() settings.Reload { return settings.Reload{} }
	}
}
