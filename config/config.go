package config

import (
	"cmp"
	"log/slog"
	"net/netip"
	"time"

	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

// Config is a complete and valid configuration. It has the shape of the file: options.yaml describes each field under the same name.
type Config struct {
	Listen         string // host:port
	PublicURL      string // without a slash at the end; never empty
	DataDir        string // never empty
	InsecureNoAuth bool
	Admin          struct{ Listen string }
	Debug          struct{ Listen string }
	API            struct{ Token Secret } // empty: generated in DataDir
	Auth           struct {
		ProxyHeader   string
		ProxyNetworks []netip.Prefix
		ProxyRole     feed.Role // empty: no access
		Rounds        int       // of PBKDF2; 0: the default. Not an option; tests lower it
	}
	Limits struct { // 0: derived from the machine
		Connections, ConnectionsPerClient int
		RequestBytes, Memory              int64
	}
	People struct {
		SignUp         string // one of the modes of people.SignUpMode
		AccountsPerDay int
	}
	Audit struct{ Keep time.Duration }
	Log   Log
	Store struct {
		Redis            Secret // URL; empty: the embedded store
		Prefix, Embedded string
		Pool             int
		Timeout          time.Duration
		MaxMemory        int64 // 0: derived from the machine
	}
	Fetch struct {
		UserAgent, Contact, Push                        string
		Proxy                                           Secret // URL; empty: none
		Timeout, Interval, MinInterval, HostDelay       time.Duration
		Workers, MaxRedirects, MaxEntries, FirstSignals int
		MaxBytes                                        int64
		AllowNetworks                                   []netip.Prefix
		KeepEntries, PushEntries, DayEntries            int
		KeepFor                                         time.Duration // 0: forever
	}
	Mail struct {
		Host, TLS, User, From string
		Port                  int
		Password              Secret
	}
	Timeline struct {
		Deep          bool
		PullFollowers int
	}
	Images struct{ Cache int64 } // bytes; 0: readers see no images
	Posts  struct {
		PerDay int
		Media  string // directory; empty: media in data_dir
		S3     struct {
			URL, Region, AccessKey string // of a bucket; empty: Media
			SecretKey              Secret
		}
		DayBytes, TotalBytes int64
	}
	Community Community
	Votes     struct {
		Weight    int // seconds
		Window    time.Duration
		Anonymous bool
	}
	Lists        struct{ Public bool }
	Search       struct{ Enabled bool }
	Housekeeping struct{ Expire, Trim string }
	Signals      struct{ Keep time.Duration }
	Hub          struct {
		Distribution, Signature      string
		OpenDistribution             string
		OpenHosts                    []string
		OpenInterval                 time.Duration
		OpenBytes, OpenTotal         int64
		Workers, PerHost, OpenTopics int
		Attempts                     int // 0: none are stored
		Timeout, FirstRetry, Horizon time.Duration
		VerifyTimeout, VerifyRetry   time.Duration
		Lease, MinLease, MaxLease    time.Duration
		TopicLeases                  []feed.TopicLease // the first that applies counts
		Badges                       bool
		AllowNetworks                []netip.Prefix
		Ping                         []string
	}

	Groups   feed.RuledGroups  // in the order of the file
	Sources  []feed.Source     // in the order of the file
	Webhooks []Webhook         // in the order of the file
	Profiles []profile.Profile // in the order of the file, without the built-in ones
	Feeds    []Feed            // in the order of the file

	places map[string]place // origin of each value that is not the default, by key
}

// Community is the section of the community.
type Community struct {
	Enabled     bool
	Host, Name  string
	LegacyLogin bool
	Gravatars   bool
	Sources     []string // canonical URLs
	// Words and Domains are what members may not write.
	Words, Domains []string
	NewAccount     feed.NewAccountLimits
	Review         feed.Review
}

// Log is the section of the log.
type Log struct {
	Level  slog.Level
	Format string // "auto", "text" or "json"
}

// Webhook is a URL that signals are sent to.
type Webhook struct {
	URL    Secret
	Kinds  []feed.SignalKind // empty: feed.DefaultSignalKinds
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
