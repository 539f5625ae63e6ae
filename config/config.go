package config

import (
	"log/slog"
	"net/netip"
	"time"

	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// Config is the whole configuration, read, defaulted and checked. What each field means is written once, with the
// option of the same name in options.go.
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
	Sources        []feed.Source     // with ID, URL, Feeds, Publish, Interval and Request, in the order of the file
	Webhooks       []Webhook         // in the order of the file
	Profiles       []profile.Profile // of the file, in its order, besides the built-in ones
	Feeds          []Feed            // in the order of the file

	places map[string]place // where each value that is not the default comes from, by key
}

// Admin is the listener for metrics and health checks.
type Admin struct {
	Listen string // host:port; empty: they are on the main listener
}

// Debug is the listener for those who look into the program.
type Debug struct {
	Listen string // host:port of this machine; empty: there is none
}

// API is the interface for programs.
type API struct {
	Token Secret // empty: the daemon makes one and keeps it in DataDir
}

// Auth is how people are known besides by name and password.
type Auth struct {
	ProxyHeader   string         // empty: no header means anything
	ProxyNetworks []netip.Prefix // that it counts from
	ProxyRole     feed.Role      // of those who have no account; empty: nothing
	Cost          int            // of bcrypt; 0: the desk's. It is no option: a lower one serves tests only
}

// Audit is the log of what people changed.
type Audit struct {
	Keep time.Duration
}

// Log says what is logged and how.
type Log struct {
	Level  slog.Level
	Format string // "auto", "text" or "json"
}

// Store is the Redis that keeps everything.
type Store struct {
	Redis    Secret // URL with scheme redis, rediss or unix; empty: the embedded one
	Prefix   string // of every key
	Pool     int    // connections at most
	Timeout  time.Duration
	Embedded string // "auto", "child" or "memory"
}

// Fetch is how sources are polled.
type Fetch struct {
	UserAgent     string // empty: the built-in one
	Contact       string // web or mail address
	Timeout       time.Duration
	Interval      time.Duration // 0: adaptive
	MinInterval   time.Duration // 0: none
	HostDelay     time.Duration // 0: hosts are not spared
	Proxy         Secret        // URL; empty: none
	Workers       int
	MaxBytes      int64
	MaxRedirects  int
	MaxEntries    int
	AllowNetworks []netip.Prefix
	KeepEntries   int           // for each source
	KeepFor       time.Duration // likewise; 0: age does not matter
	FirstSignals  int           // of a new source; 0: none
	Push          string        // "auto", "always" or "never"
}

// Housekeeping holds the times of the recurring jobs: cron specs of five fields, or descriptors such as @hourly, in UTC.
type Housekeeping struct {
	Expire string
	Trim   string
}

// Signals is the outbox.
type Signals struct {
	Keep time.Duration
}

// Hub is how news reaches its subscribers.
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
	// AllowNetworks are the private networks that subscriptions may name callbacks in.
	AllowNetworks []netip.Prefix
	Ping          []string // URLs of other hubs that are told of news
}

// Webhook is a URL that signals are sent to.
type Webhook struct {
	URL    Secret
	Kinds  []feed.SignalKind // empty: all
	Source string            // feed_url; empty: all
	Secret Secret            // empty: the daemon makes one
}

// Filter says which signals the webhook gets.
func (w *Webhook) Filter() feed.SignalFilter {
	return feed.SignalFilter{Kinds: w.Kinds, Source: w.Source}
}

// Feed is one outgoing feed.
type Feed struct {
	Type        string
	Profile     string
	Title       string
	Link        string // empty: the public URL
	Description string
	Language    string
	Copyright   string
	Logo        string // URL
	DarkLogo    string // URL
	Rules       string // file; empty: none
	TwinOf      string // type of another feed; empty: it stands for itself
	Sources     []string
	Select      feed.Filters
	Publish     feed.PublishMode // empty: the source decides
	Window      time.Duration
	MaxItems    int
	RetireAfter int
	Counted     []string
	Username    string
	Password    Secret
}

// Outgoing is the configured feeds in the form in which the rooms take them.
func (c *Config) Outgoing() []feed.Outgoing {
	all := make([]feed.Outgoing, 0, len(c.Feeds))
	for _, f := range c.Feeds {
		link := f.Link
		if link == "" {
			link = c.PublicURL
		}
		all = append(all, feed.Outgoing{
			Type:        f.Type,
			Profile:     f.Profile,
			Title:       f.Title,
			Link:        link,
			Description: f.Description,
			Language:    f.Language,
			Copyright:   f.Copyright,
			Logo:        f.Logo,
			DarkLogo:    f.DarkLogo,
			TwinOf:      f.TwinOf,
			Sources:     f.Sources,
			Select:      f.Select,
			Publish:     f.Publish,
			Window:      f.Window,
			RetireAfter: f.RetireAfter,
			Counted:     f.Counted,
			MaxItems:    f.MaxItems,
			Username:    f.Username,
			Password:    f.Password.Reveal(),
		})
	}
	return all
}
