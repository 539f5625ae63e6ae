package config

import (
	"cmp"
	"log/slog"
	"net/netip"
	"time"

	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// Config is a complete and valid configuration. options.yaml describes each field under the same name.
type Config struct {
	Listen         string // host:port
	PublicURL      string // without a slash at the end; never empty
	DataDir        string // never empty
	InsecureNoAuth bool
	Admin          Admin
	Debug          Debug
	API            API
	Auth           Auth
	Audit          Audit
	Log            Log
	Store          Store
	Fetch          Fetch
	Housekeeping   Housekeeping
	Signals        Signals
	Hub            Hub
	Sources        []feed.Source     // in the order of the file
	Webhooks       []Webhook         // in the order of the file
	Profiles       []profile.Profile // in the order of the file, without the built-in ones
	Feeds          []Feed            // in the order of the file

	places map[string]place // origin of each value that is not the default, by key
}

// Admin is the listener for metrics and health checks.
type Admin struct {
	Listen string // host:port; empty: the main listener
}

// Debug is the listener for runtime profiles.
type Debug struct {
	Listen string // host:port of this machine; empty: none
}

// API is the interface for programs.
type API struct {
	Token Secret // empty: generated in DataDir
}

// Auth is the sign-in by an authenticating proxy.
type Auth struct {
	ProxyHeader   string         // empty: no header is trusted
	ProxyNetworks []netip.Prefix // from which it is trusted
	ProxyRole     feed.Role      // of people without an account; empty: no access
	Cost          int            // of bcrypt; 0: the default. Not an option; tests lower it
}

// Audit is the log of changes by people.
type Audit struct {
	Keep time.Duration
}

// Log is the log of the daemon.
type Log struct {
	Level  slog.Level
	Format string // "auto", "text" or "json"
}

// Store is the connection to Redis.
type Store struct {
	Redis    Secret // URL; empty: the embedded store
	Prefix   string // of every key
	Pool     int    // maximum number of connections
	Timeout  time.Duration
	Embedded string // "auto", "child" or "memory"
}

// Fetch is the polling of sources.
type Fetch struct {
	UserAgent     string // empty: built in
	Contact       string // web or mail address
	Timeout       time.Duration
	Interval      time.Duration // 0: adaptive
	MinInterval   time.Duration // 0: none
	HostDelay     time.Duration // 0: none
	Proxy         Secret        // URL; empty: none
	Workers       int
	MaxBytes      int64
	MaxRedirects  int
	MaxEntries    int
	AllowNetworks []netip.Prefix
	KeepEntries   int           // for each source
	KeepFor       time.Duration // likewise; 0: forever
	FirstSignals  int           // of a new source; 0: none
	Push          string        // "auto", "always" or "never"
}

// Housekeeping is the schedule of the recurring jobs: cron specs of five fields, or descriptors such as @hourly, in UTC.
type Housekeeping struct {
	Expire string
	Trim   string
}

// Signals is the outbox.
type Signals struct {
	Keep time.Duration
}

// Hub is the delivery to subscribers.
type Hub struct {
	Distribution string // "news" or "full"
	Signature    string // "sha1", "sha256", "sha384" or "sha512"
	Workers      int
	PerHost      int
	Timeout      time.Duration
	Horizon      time.Duration
	Lease        time.Duration
	MinLease     time.Duration
	MaxLease     time.Duration
	OpenTopics   int
	// AllowNetworks are the private networks of permitted callbacks.
	AllowNetworks []netip.Prefix
	Ping          []string // URLs of other hubs to notify
}

// Webhook is a URL that signals are sent to.
type Webhook struct {
	URL    Secret
	Kinds  []feed.SignalKind // empty: all
	Source string            // feed_url; empty: all
	Secret Secret            // empty: generated
}

// Filter returns the filter of the signals for the webhook.
func (w *Webhook) Filter() feed.SignalFilter {
	return feed.SignalFilter{Kinds: w.Kinds, Source: w.Source}
}

// Feed is one outgoing feed. The password of Outgoing is not set.
type Feed struct {
	feed.Outgoing
	Password Secret
	Rules    string // path of a file; empty: none
}

// Outgoing returns the outgoing feeds with their passwords and links.
func (c *Config) Outgoing() []feed.Outgoing {
	all := make([]feed.Outgoing, 0, len(c.Feeds))
	for _, f := range c.Feeds {
		out := f.Outgoing
		out.Link = cmp.Or(out.Link, c.PublicURL)
		out.Password = f.Password.Reveal()
		all = append(all, out)
	}
	return all
}
