package config

import (
	"net/netip"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// option is one thing that can be configured on a T: on the whole configuration, on one source or on one feed.
type option[T any] struct {
	key   string           // path of keys below the T: "store.redis"
	def   string           // in the spelling of the file; "[a, b]" for a list; empty: nothing
	doc   string           // what it does, in sentences; "." after the first one ends the short form
	value func(t *T) value // reads and shows the field of t
}

// env is the name of the option's environment variable: FEEDWIRE_STORE_REDIS.
func (o option[T]) env() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(o.key, ".", "_"))
}

// flag is the name of the option's flag, without dashes: store-redis.
func (o option[T]) flag() string {
	return strings.NewReplacer(".", "-", "_", "-").Replace(o.key)
}

// splitList reads a list as it is written in an environment variable or flag.
func splitList(s string) []string {
	var all []string
	for item := range strings.SplitSeq(s, ",") {
		if item = strings.TrimSpace(item); item != "" {
			all = append(all, item)
		}
	}
	return all
}

const (
	day  = 24 * time.Hour
	year = 365 * day
)

// options is the whole configuration. In the file, the members of sources, profiles and feeds have options of their own.
func options() []option[Config] {
	return []option[Config]{
		{"listen", "127.0.0.1:8080",
			"The address for feeds, pages and API, as host:port; :8080 is port 8080 of every address. A public address " +
				"requires api.token or insecure_no_auth.",
			func(c *Config) value { return text(&c.Listen, "host:port", address) }},
		{"public_url", "",
			"The URL under which others reach this daemon, for links in feeds and pages. Default: http:// and listen.",
			func(c *Config) value { return text(&c.PublicURL, "URL", webURL) }},
		{"data_dir", "",
			"The directory for the embedded store, the token, the last good copies of feeds and the impression journals. " +
				"Default: $STATE_DIRECTORY (set by systemd), $XDG_STATE_HOME/feedwire, or ~/.local/state/feedwire.",
			func(c *Config) value { return text(&c.DataDir, "path", nil) }},
		{"insecure_no_auth", "false",
			"Opens the pages to everyone with the rights of an editor, and allows a public address without api.token. Use it " +
				"only behind a proxy that authenticates people.",
			func(c *Config) value { return boolean(&c.InsecureNoAuth) }},
		{"admin.listen", "",
			"A second address, host:port, for /metrics, /healthz and /readyz. If empty, they are on listen.",
			func(c *Config) value { return text(&c.Admin.Listen, "host:port", address) }},
		{"debug.listen", "",
			"An address of this machine, such as 127.0.0.1:6060, for runtime profiles (pprof). Profiles show memory contents, " +
				"so public addresses are refused. If empty, there are no profiles.",
			func(c *Config) value { return text(&c.Debug.Listen, "host:port", loopbackAddress) }},
		{"api.token", "",
			"The token for the API and the command line. If empty, the daemon creates one in data_dir/token. Other users of " +
				"the machine can see flags; prefer the file.",
			func(c *Config) value { return secret(&c.API.Token, "text", bearer, hide) }},
		{"api.token_file", "",
			"A file with the token, instead of api.token. Line breaks at the end are ignored.",
			func(c *Config) value { return secretFile(&c.API.Token, bearer) }},
		{"auth.proxy_header", "",
			"The header in which an authenticating reverse proxy names the person, such as X-Forwarded-User. The person needs " +
				"no password and has the role of the account with that name. If empty, no header is trusted.",
			func(c *Config) value { return text(&c.Auth.ProxyHeader, "header name", headerName) }},
		{"auth.proxy_networks", "[]",
			"Addresses of trusted reverse proxies, as CIDRs or single addresses. auth.proxy_header and X-Forwarded-For are " +
				"accepted from there only.",
			func(c *Config) value {
				return listOf(&c.Auth.ProxyNetworks, "networks", network, netip.Prefix.String)
			}},
		{"auth.proxy_role", "viewer",
			"The role of people that a proxy names and that have no account: viewer (read-only access), editor (publish, " +
				"manage sources), admin (everything) or none (no access).",
			func(c *Config) value {
				return oneOf(&c.Auth.ProxyRole, map[string]feed.Role{
					"none": "", "viewer": feed.RoleViewer, "editor": feed.RoleEditor, "admin": feed.RoleAdmin,
				})
			}},
		{"audit.keep", "8760h",
			"How long the audit log is stored.",
			func(c *Config) value { return duration(&c.Audit.Keep, day, 10*year) }},
		{"log.level", "info",
			"The lowest level that is logged.",
			func(c *Config) value { return oneOf(&c.Log.Level, levels()) }},
		{"log.format", "auto",
			"The log format: text, json, or auto (text on a terminal, otherwise json).",
			func(c *Config) value { return oneOf(&c.Log.Format, words("auto", "text", "json")) }},
		{"store.redis", "",
			"The Redis to use: redis://:password@host:6379/0, rediss://… for TLS (with ?tls_ca=/path for an authority of your " +
				"own), or unix:///path of a socket. With Sentinels " +
				"redis+sentinel://:password@host1:26379,host2:26379/name-of-the-master/0, for a Redis Cluster " +
				"redis+cluster://host1:6379,host2:6379. If empty, the daemon runs a private one in data_dir, see store.embedded.",
			func(c *Config) value { return secret(&c.Store.Redis, "URL", redisURL, maskUserinfo) }},
		{"store.redis_file", "",
			"A file with the URL, instead of store.redis, for a URL with a password.",
			func(c *Config) value { return secretFile(&c.Store.Redis, redisURL) }},
		{"store.prefix", "",
			"The prefix of every key, so that several installations can share a Redis. In a Redis Cluster a prefix with a tag " +
				"in braces, such as {feedwire}:, puts all keys on one node; any other prefix spreads them over the nodes.",
			func(c *Config) value { return text(&c.Store.Prefix, "text", prefix) }},
		{"store.pool", "32",
			"The maximum number of connections to Redis.",
			func(c *Config) value { return count(&c.Store.Pool, 1, 4096) }},
		{"store.timeout", "2s",
			"The timeout of one Redis command.",
			func(c *Config) value { return duration(&c.Store.Timeout, 50*time.Millisecond, 5*time.Minute) }},
		{"store.embedded", "auto",
			"The store to use if store.redis is empty: child runs a private redis-server or valkey-server, memory loses all " +
				"data at a restart, and auto is child if such a program is installed.",
			func(c *Config) value { return oneOf(&c.Store.Embedded, words("auto", "child", "memory")) }},
		{"fetch.user_agent", "",
			"The User-Agent of all requests to sources. Default: feedwire with its version and fetch.contact.",
			func(c *Config) value { return text(&c.Fetch.UserAgent, "text", nil) }},
		{"fetch.contact", "",
			"A web or mail address at which owners of polled sites reach you. It is part of the User-Agent.",
			func(c *Config) value { return text(&c.Fetch.Contact, "web or mail address", contact) }},
		{"fetch.timeout", "30s",
			"The timeout of one request to a source. While more than four servers per fetch.workers are slow, the slowest " +
				"requests are cancelled earlier.",
			func(c *Config) value { return duration(&c.Fetch.Timeout, time.Second, 10*time.Minute) }},
		{"fetch.interval", "0",
			"The time between two polls of a source without an interval of its own. With 0 the interval follows how often a " +
				"source posts: an hour after the first poll, then between fetch.min_interval and a day.",
			func(c *Config) value { return durationOrNone(&c.Fetch.Interval, time.Second, 30*day) }},
		{"fetch.min_interval", "15m",
			"The shortest adaptive interval. It is also the minimum time between two requested polls, up to 10 seconds. With " +
				"0 there is no minimum.",
			func(c *Config) value { return durationOrNone(&c.Fetch.MinInterval, time.Second, day) }},
		{"fetch.host_delay", "2s",
			"The time between two requests to one host, across all daemons. Requests to a host never run in parallel, and new " +
				"sources that are added together are spread over an hour. With 0 everything that is due is polled at once: only " +
				"for your own servers.",
			func(c *Config) value { return durationOrNone(&c.Fetch.HostDelay, 100*time.Millisecond, time.Hour) }},
		{"fetch.proxy", "",
			"The proxy for all requests to sources: http://, https:// or socks5://. The proxy resolves the names of sources, " +
				"so it must refuse internal servers. Proxy variables of the environment are ignored.",
			func(c *Config) value { return secret(&c.Fetch.Proxy, "URL", proxyURL, maskProxy) }},
		{"fetch.workers", "16",
			"The number of sources that are polled in parallel.",
			func(c *Config) value { return count(&c.Fetch.Workers, 1, 1024) }},
		{"fetch.max_bytes", "8MiB",
			"The maximum size of a document after decompression.",
			func(c *Config) value { return size(&c.Fetch.MaxBytes, 1<<10, 256<<20) }},
		{"fetch.max_redirects", "5",
			"The maximum number of redirects per request. With 0 redirects are not followed.",
			func(c *Config) value { return count(&c.Fetch.MaxRedirects, 0, 20) }},
		{"fetch.max_entries", "2000",
			"The maximum number of entries in a document.",
			func(c *Config) value { return count(&c.Fetch.MaxEntries, 1, 100_000) }},
		{"fetch.allow_networks", "[]",
			"Private networks to which feedwire may connect, as CIDRs or single addresses. All other private addresses are " +
				"refused, so that no source leads the daemon to your internal servers.",
			func(c *Config) value {
				return listOf(&c.Fetch.AllowNetworks, "networks", network, netip.Prefix.String)
			}},
		{"fetch.keep_entries", "50",
			"The number of entries of each source that housekeeping leaves. Entries that the source still lists always stay.",
			func(c *Config) value { return count(&c.Fetch.KeepEntries, 1, 1_000_000) }},
		{"fetch.keep_for", "0",
			"The maximum age of entries that the source no longer lists. With 0 only their number matters.",
			func(c *Config) value { return durationOrNone(&c.Fetch.KeepFor, time.Hour, 10*year) }},
		{"fetch.first_signals", "10",
			"The number of entries in the first document of a new source that are signalled and may be published by rule. " +
				"Older entries are stored without a signal and can be published by hand.",
			func(c *Config) value { return count(&c.Fetch.FirstSignals, 0, 100_000) }},
		{"fetch.push", "auto",
			"Whether to subscribe to the hubs of sources (WebSub): auto if public_url is reachable from outside, always, or " +
				"never. Hubs call public_url with the path /push/ and a token.",
			func(c *Config) value { return oneOf(&c.Fetch.Push, words("auto", "always", "never")) }},
		{"housekeeping.expire", "17 * * * *",
			"When old entries and articles expire, and sources without subscribers that the hub added are removed: minute, " +
				"hour, day, month and weekday, in UTC.",
			func(c *Config) value { return text(&c.Housekeeping.Expire, "cron spec", cronSpec) }},
		{"housekeeping.trim", "*/10 * * * *",
			"When signals older than signals.keep that every reader has seen are deleted: minute, hour, day, month and " +
				"weekday, in UTC.",
			func(c *Config) value { return text(&c.Housekeeping.Trim, "cron spec", cronSpec) }},
		{"signals.keep", "24h",
			"How long signals can be read again.",
			func(c *Config) value { return duration(&c.Signals.Keep, time.Minute, year) }},
		{"hub.distribution", "news",
			"What subscribers of a source receive: news is a feed of new and changed entries, RSS for RSS and otherwise Atom; " +
				"full is the unchanged document of the source. Outgoing feeds are sent as they are served.",
			func(c *Config) value { return oneOf(&c.Hub.Distribution, words("news", "full")) }},
		{"hub.signature", "sha256",
			"The signature algorithm for subscribers that gave a secret without an algorithm.",
			func(c *Config) value { return oneOf(&c.Hub.Signature, words("sha256", "sha1", "sha384", "sha512")) }},
		{"hub.workers", "64",
			"The number of deliveries in progress. Deliveries slower than 200 ms do not occupy a worker.",
			func(c *Config) value { return count(&c.Hub.Workers, 1, 4096) }},
		{"hub.per_host", "8",
			"The number of deliveries in progress to one host.",
			func(c *Config) value { return count(&c.Hub.PerHost, 1, 4096) }},
		{"hub.timeout", "10s",
			"The timeout of one delivery.",
			func(c *Config) value { return duration(&c.Hub.Timeout, time.Second, time.Minute) }},
		{"hub.horizon", "24h",
			"How long a failing delivery is retried, from the first failure on. After that each new version is tried once " +
				"until the subscriber accepts one; its subscription stays.",
			func(c *Config) value { return duration(&c.Hub.Horizon, time.Minute, day) }},
		{"hub.lease", "240h",
			"The duration of a subscription that requests none. Subscribers renew it before it ends.",
			func(c *Config) value { return duration(&c.Hub.Lease, time.Minute, year) }},
		{"hub.min_lease", "1h",
			"The shortest lease. Shorter requests get this.",
			func(c *Config) value { return duration(&c.Hub.MinLease, time.Second, year) }},
		{"hub.max_lease", "720h",
			"The longest lease. Longer requests get this.",
			func(c *Config) value { return duration(&c.Hub.MaxLease, time.Minute, year) }},
		{"hub.open_topics", "0",
			"The number of sources that subscribers may add by subscribing to an unknown feed. They have the category hub and " +
				"are removed a day after their last subscriber left, unless they get another category or an outgoing feed. With 0 " +
				"only existing sources and feeds are topics.",
			func(c *Config) value { return count(&c.Hub.OpenTopics, 0, 100000) }},
		{"hub.allow_networks", "[]",
			"Private networks in which subscribers may have callbacks, as CIDRs or single addresses. All others are refused, " +
				"including those of fetch.allow_networks, because anyone who reaches the hub could have requests sent there. " +
				"Webhooks and the hubs of hub.ping may be in either.",
			func(c *Config) value {
				return listOf(&c.Hub.AllowNetworks, "networks", network, netip.Prefix.String)
			}},
		{"hub.ping", "[]",
			"Other hubs, by URL, that are notified when an outgoing feed changes. Each is retried independently.",
			func(c *Config) value { return list(&c.Hub.Ping, "URLs", hubURL) }},
		{"webhooks", "[]",
			"URLs that receive signals as signed JSON. Add more at any time by command or API; those named here exist from " +
				"the start.",
			func(c *Config) value { return webhookList(&c.Webhooks) }},
		{"sources", "[]",
			"The feeds to poll. Add more at any time by command, API or page; those named here exist from the start.",
			func(c *Config) value { return sourceList(&c.Sources) }},
		{"feeds", "[production, development]",
			"The outgoing feeds, by the names under which they are served at /feed/<name>. If the file names any, exactly " +
				"those exist.",
			func(c *Config) value { return feedList(&c.Feeds) }},
	}
}

// sourceOptions is one item of the list sources.
func sourceOptions() []option[feed.Source] {
	return []option[feed.Source]{
		{"url", "",
			"The feed to poll: RSS, Atom or JSON Feed. Required.",
			func(s *feed.Source) value { return canonicalURL(&s.URL) }},
		{"feeds", "[production]",
			"The outgoing feeds of its articles.",
			func(s *feed.Source) value { return list(&s.Feeds, "types of feeds", feedType) }},
		{"publish", "manual",
			"Who publishes its articles: manual is an editor, auto publishes each new article automatically.",
			func(s *feed.Source) value {
				return oneOf(&s.Publish, words(feed.PublishManual, feed.PublishAuto))
			}},
		{"interval", "0",
			"The time between two polls. With 0 fetch.interval applies.",
			func(s *feed.Source) value { return durationOrNone(&s.Interval, time.Second, 30*day) }},
		{"min_interval", "0",
			"The shortest adaptive interval. With 0 fetch.min_interval applies.",
			func(s *feed.Source) value { return durationOrNone(&s.Request.MinInterval, time.Second, day) }},
		{"timeout", "0",
			"The timeout of one request. With 0 fetch.timeout applies.",
			func(s *feed.Source) value { return durationOrNone(&s.Request.Timeout, time.Second, 10*time.Minute) }},
		{"headers", "[]",
			`Additional request headers, each like "X-Key: abc", sent to the source's own host only.`,
			func(s *feed.Source) value { return headerList(&s.Request.Headers) }},
		{"username", "",
			"The user name for HTTP Basic, sent to the source's own host only.",
			func(s *feed.Source) value { return text(&s.Request.Username, "text", username) }},
		{"password", "",
			"The password for HTTP Basic.",
			func(s *feed.Source) value { return hidden(&s.Request.Password, "text", password, hide) }},
		{"password_file", "",
			"A file with the password, instead of password.",
			func(s *feed.Source) value { return hiddenFile(&s.Request.Password, password) }},
		{"proxy", "",
			"The proxy for this source, or direct for none. If empty, fetch.proxy applies.",
			func(s *feed.Source) value {
				return hidden(&s.Request.Proxy, "URL, or direct", proxyOrDirect, maskProxy)
			}},
		{"ignore_updates", "false",
			"Ignores changes: entries stay as they were first stored and changes are not signalled.",
			func(s *feed.Source) value { return boolean(&s.IgnoreUpdates) }},
		{"keep_entries", "0",
			"The number of entries that housekeeping leaves. With 0 fetch.keep_entries applies.",
			func(s *feed.Source) value { return count(&s.Keep.Entries, 0, 1_000_000) }},
		{"keep_for", "0",
			"The maximum age of entries that the source no longer lists. With 0 fetch.keep_for applies.",
			func(s *feed.Source) value { return durationOrNone(&s.Keep.For, time.Hour, 10*year) }},
		{"keep", "[]",
			`Accepts only entries that match one of these filters: title, content, link, author, category or any, "=" and a ` +
				"regular expression (RE2), as in ['title=(?i)\\bferry\\b'].",
			func(s *feed.Source) value { return filters(&s.Filters.Keep) }},
		{"block", "[]",
			"Rejects entries that match one of these filters, even if keep accepts them.",
			func(s *feed.Source) value { return filters(&s.Filters.Block) }},
		{"rules", "",
			"A JSON file with publisher rules that map its markup to instant articles. They apply before those of a feed.",
			func(s *feed.Source) value { return text(&s.Rules, "path", nil) }},
	}
}

// sourceList is the sources by their URLs alone; each has the defaults for all else.
func sourceList(p *[]feed.Source) value {
	return listOf(p, "URLs", func(s string) (feed.Source, *Problem) {
		source := newSource()
		url, problem := sourceURL(s)
		source.URL = url
		return source, problem
	}, func(s feed.Source) string { return s.URL })
}

// newSource is a source with all defaults.
func newSource() feed.Source {
	var s feed.Source
	setDefaults(&s, sourceOptions(), "")
	return s
}

// setDefaults gives t the default of every option. Subject is put for <type>.
func setDefaults[T any](t *T, table []option[T], subject string) {
	for _, o := range table {
		o.def = strings.ReplaceAll(o.def, "<type>", subject)
		v := o.value(t)
		texts := []string{o.def}
		if v.list {
			texts = splitList(strings.Trim(o.def, "[]"))
		}
		if problem := v.set(texts); problem != nil {
			panic("config: default of " + o.key + ": " + problem.Error()) // a mistake in the table
		}
	}
}
