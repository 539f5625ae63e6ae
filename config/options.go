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
			"The address that serves feeds, pages and API, as host:port; :8080 is port 8080 of every address. " +
				"An address that others can reach needs api.token, or insecure_no_auth.",
			func(c *Config) value { return text(&c.Listen, "host:port", address) }},
		{"public_url", "",
			"The URL under which others reach this daemon, for the links in feeds and pages. " +
				"Left empty, it is http:// and the address of listen.",
			func(c *Config) value { return text(&c.PublicURL, "URL", webURL) }},
		{"data_dir", "",
			"The directory for what the daemon keeps on disk: the embedded store, the token, the last good copies of feeds and the journals of their impressions. " +
				"Left empty, it is $STATE_DIRECTORY (set by systemd), else $XDG_STATE_HOME/feedwire, " +
				"else ~/.local/state/feedwire.",
			func(c *Config) value { return text(&c.DataDir, "path", nil) }},
		{"insecure_no_auth", "false",
			"Opens the pages to everyone, who may do there what an editor may, and allows an address that others can reach " +
				"without api.token. Use it only behind something that asks who comes.",
			func(c *Config) value { return boolean(&c.InsecureNoAuth) }},
		{"admin.listen", "",
			"A second address, host:port, for /metrics, /healthz and /readyz. " +
				"Left empty, they are on the main one.",
			func(c *Config) value { return text(&c.Admin.Listen, "host:port", address) }},
		{"debug.listen", "",
			"An address of this machine, host:port such as 127.0.0.1:6060, for profiles of the running program (pprof). " +
				"They show what it has in memory, so that no address is taken that others could reach. Left empty, there are none.",
			func(c *Config) value { return text(&c.Debug.Listen, "host:port", loopbackAddress) }},
		{"api.token", "",
			"The token that programs and the command line show to the API. " +
				"Left empty, the daemon makes one and keeps it in data_dir/token. " +
				"Other users of the machine see flags; prefer the file.",
			func(c *Config) value { return secret(&c.API.Token, "text", bearer, hide) }},
		{"api.token_file", "",
			"A file with the token, instead of api.token. Line breaks at its end do not count.",
			func(c *Config) value { return secretFile(&c.API.Token, bearer) }},
		{"auth.proxy_header", "",
			"The header in which a reverse proxy names who comes, such as X-Forwarded-User, once it has asked. Who is named needs " +
				"no password here, and has the role of the account of that name. Left empty, no header means anything.",
			func(c *Config) value { return text(&c.Auth.ProxyHeader, "header name", headerName) }},
		{"auth.proxy_networks", "[]",
			"Where such proxies are, as CIDRs or single addresses. The header counts from there only; likewise X-Forwarded-For, " +
				"for the address of who comes.",
			func(c *Config) value {
				return listOf(&c.Auth.ProxyNetworks, "networks", network, netip.Prefix.String)
			}},
		{"auth.proxy_role", "reader",
			"What those may do whom a proxy names and who have no account: see (reader), publish and look after sources (editor), " +
				"everything (admin), or nothing (none).",
			func(c *Config) value {
				return oneOf(&c.Auth.ProxyRole, map[string]feed.Role{
					"none": "", "reader": feed.RoleReader, "editor": feed.RoleEditor, "admin": feed.RoleAdmin,
				})
			}},
		{"audit.keep", "8760h",
			"How long it is kept who changed what.",
			func(c *Config) value { return duration(&c.Audit.Keep, day, 10*year) }},
		{"log.level", "info",
			"The least level that is logged.",
			func(c *Config) value { return oneOf(&c.Log.Level, levels()) }},
		{"log.format", "auto",
			"The form of the log: text for people, json for programs; auto is text on a terminal and json elsewhere.",
			func(c *Config) value { return oneOf(&c.Log.Format, words("auto", "text", "json")) }},
		{"store.redis", "",
			"The Redis that keeps everything: redis://:password@host:6379/0, rediss://… for TLS, or unix:///path of a socket. " +
				"Watched by Sentinels it is redis+sentinel://:password@host1:26379,host2:26379/name-of-the-master/0, a Redis Cluster " +
				"is redis+cluster://host1:6379,host2:6379. Left empty, the daemon keeps a private one in data_dir, see store.embedded.",
			func(c *Config) value { return secret(&c.Store.Redis, "URL", redisURL, maskUserinfo) }},
		{"store.redis_file", "",
			"A file with that URL, instead of store.redis, for a URL with a password.",
			func(c *Config) value { return secretFile(&c.Store.Redis, redisURL) }},
		{"store.prefix", "",
			"What every key begins with, so that several installations can share a Redis. In a Redis Cluster one with a tag in " +
				"braces, as {feedwire}: has it, keeps all keys on one node; with any other they are spread over the nodes.",
			func(c *Config) value { return text(&c.Store.Prefix, "text", prefix) }},
		{"store.pool", "32",
			"The most connections to Redis at a time.",
			func(c *Config) value { return count(&c.Store.Pool, 1, 4096) }},
		{"store.timeout", "2s",
			"How long one command to Redis may take.",
			func(c *Config) value { return duration(&c.Store.Timeout, 50*time.Millisecond, 5*time.Minute) }},
		{"store.embedded", "auto",
			"Where store.redis is empty: child runs a private redis-server or valkey-server, " +
				"memory keeps nothing over a restart, and auto is child where such a program is installed.",
			func(c *Config) value { return oneOf(&c.Store.Embedded, words("auto", "child", "memory")) }},
		{"fetch.user_agent", "",
			"The User-Agent of all requests to sources. Left empty, it is feedwire with its version and fetch.contact.",
			func(c *Config) value { return text(&c.Fetch.UserAgent, "text", nil) }},
		{"fetch.contact", "",
			"Where the owner of a polled site finds you: a web or mail address. It is part of the User-Agent.",
			func(c *Config) value { return text(&c.Fetch.Contact, "web or mail address", contact) }},
		{"fetch.timeout", "30s",
			"How long one request to a source may take, from the first byte to the last. " +
				"While more than four servers for each of fetch.workers are slow, those waited for longest are given up sooner.",
			func(c *Config) value { return duration(&c.Fetch.Timeout, time.Second, 10*time.Minute) }},
		{"fetch.interval", "0",
			"The time between two polls of a source that names no interval of its own. " +
				"With 0 each source is polled as often as it posts deserves: an hour after the first time, " +
				"then between fetch.min_interval and a day.",
			func(c *Config) value { return durationOrNone(&c.Fetch.Interval, time.Second, 30*day) }},
		{"fetch.min_interval", "15m",
			"The shortest interval that is chosen where none is fixed, " +
				"and, up to 10 seconds, the time from a poll to one that is asked for. With 0 there is no limit.",
			func(c *Config) value { return durationOrNone(&c.Fetch.MinInterval, time.Second, day) }},
		{"fetch.host_delay", "2s",
			"The time between two requests to one host; they go one after another, whichever daemon sends them. " +
				"New sources that are added together are then spread over an hour. " +
				"With 0 all that is due is polled at once: only for servers of your own.",
			func(c *Config) value { return durationOrNone(&c.Fetch.HostDelay, 100*time.Millisecond, time.Hour) }},
		{"fetch.proxy", "",
			"The proxy for all requests to sources: http://, https:// or socks5://. It resolves the names of the sources, " +
				"so it has to keep them away from internal servers. Proxies of the environment are ignored.",
			func(c *Config) value { return secret(&c.Fetch.Proxy, "URL", proxyURL, maskProxy) }},
		{"fetch.workers", "16",
			"How many sources are polled at a time.",
			func(c *Config) value { return count(&c.Fetch.Workers, 1, 1024) }},
		{"fetch.max_bytes", "8MiB",
			"The largest document that is taken, after decompression.",
			func(c *Config) value { return size(&c.Fetch.MaxBytes, 1<<10, 256<<20) }},
		{"fetch.max_redirects", "5",
			"How many redirects one request follows.",
			func(c *Config) value { return count(&c.Fetch.MaxRedirects, 0, 20) }},
		{"fetch.max_entries", "2000",
			"The most entries that one document may hold.",
			func(c *Config) value { return count(&c.Fetch.MaxEntries, 1, 100_000) }},
		{"fetch.allow_networks", "[]",
			"Private networks that may be dialled, as CIDRs or single addresses. " +
				"All others are refused, so that no source leads the daemon to your internal servers.",
			func(c *Config) value {
				return listOf(&c.Fetch.AllowNetworks, "networks", network, netip.Prefix.String)
			}},
		{"fetch.keep_entries", "50",
			"How many entries of each source housekeeping keeps. What the source still lists is always kept.",
			func(c *Config) value { return count(&c.Fetch.KeepEntries, 1, 1_000_000) }},
		{"fetch.keep_for", "0",
			"How long housekeeping keeps entries that the source does not list any more, whatever their number. With 0, only their number matters.",
			func(c *Config) value { return durationOrNone(&c.Fetch.KeepFor, time.Hour, 10*year) }},
		{"fetch.first_signals", "10",
			"How many entries of a new source's first document are signalled, and may be published by rule. " +
				"The older ones are stored, and can be published by hand.",
			func(c *Config) value { return count(&c.Fetch.FirstSignals, 0, 100_000) }},
		{"fetch.push", "auto",
			"Whether sources that name a hub are subscribed to there (WebSub), so that news comes at once: " +
				"auto does it where public_url can be reached from outside, always in any case, never not at all. " +
				"Hubs call public_url with the path /push/ and a token.",
			func(c *Config) value { return oneOf(&c.Fetch.Push, words("auto", "always", "never")) }},
		{"housekeeping.expire", "17 * * * *",
			"When old entries and articles are expired, and sources go that the hub's subscribers have left: minute, hour, day, month and weekday, in UTC.",
			func(c *Config) value { return text(&c.Housekeeping.Expire, "cron spec", cronSpec) }},
		{"housekeeping.trim", "*/10 * * * *",
			"When signals older than signals.keep are dropped that every reader has seen: minute, hour, day, month and weekday, in UTC.",
			func(c *Config) value { return text(&c.Housekeeping.Trim, "cron spec", cronSpec) }},
		{"signals.keep", "24h",
			"How long signals can be read again after they were sent.",
			func(c *Config) value { return duration(&c.Signals.Keep, time.Minute, year) }},
		{"hub.distribution", "news",
			"What subscribers of a source get: news is a feed of its new and changed entries, RSS for RSS and else Atom; " +
				"full is the document of the source as it came. Outgoing feeds are sent as they are served.",
			func(c *Config) value { return oneOf(&c.Hub.Distribution, words("news", "full")) }},
		{"hub.signature", "sha256",
			"How deliveries are signed to subscribers that gave a secret and did not say how.",
			func(c *Config) value { return oneOf(&c.Hub.Signature, words("sha256", "sha1", "sha384", "sha512")) }},
		{"hub.workers", "64",
			"How many deliveries are under way at a time. Those that take longer than 200 ms are not counted.",
			func(c *Config) value { return count(&c.Hub.Workers, 1, 4096) }},
		{"hub.per_host", "8",
			"How many of them go to one host at a time.",
			func(c *Config) value { return count(&c.Hub.PerHost, 1, 4096) }},
		{"hub.timeout", "10s",
			"How long one delivery may take.",
			func(c *Config) value { return duration(&c.Hub.Timeout, time.Second, time.Minute) }},
		{"hub.horizon", "24h",
			"How long a delivery that fails is tried again, from the first failure on. After that a subscriber gets one try " +
				"with each news, until it takes one; its subscription stays.",
			func(c *Config) value { return duration(&c.Hub.Horizon, time.Minute, day) }},
		{"hub.lease", "240h",
			"How long a subscription lasts that is not asked for longer or shorter. Subscribers renew it before it ends.",
			func(c *Config) value { return duration(&c.Hub.Lease, time.Minute, year) }},
		{"hub.min_lease", "1h",
			"The shortest lease; subscribers who ask for less are given this.",
			func(c *Config) value { return duration(&c.Hub.MinLease, time.Second, year) }},
		{"hub.max_lease", "720h",
			"The longest lease; subscribers who ask for more are given this.",
			func(c *Config) value { return duration(&c.Hub.MaxLease, time.Minute, year) }},
		{"hub.open_topics", "0",
			"How many sources subscribers may add, by subscribing to a feed that is none yet. They have the category hub and " +
				"go a day after their last subscriber; one that is given another category or an outgoing feed stays. " +
				"0 lets them subscribe to sources and feeds of this daemon only.",
			func(c *Config) value { return count(&c.Hub.OpenTopics, 0, 100000) }},
		{"hub.allow_networks", "[]",
			"Private networks in which subscribers may have their callbacks, as CIDRs or single addresses. All others are refused, " +
				"also those of fetch.allow_networks: whoever reaches the hub could have requests sent there. Webhooks and the hubs " +
				"of hub.ping, which you name yourself, may be in the networks of either.",
			func(c *Config) value {
				return listOf(&c.Hub.AllowNetworks, "networks", network, netip.Prefix.String)
			}},
		{"hub.ping", "[]",
			"Hubs of others, by their URLs, that are told whenever one of the outgoing feeds changes, " +
				"so that subscribers there hear of it. Each is tried again by itself where it fails.",
			func(c *Config) value { return list(&c.Hub.Ping, "URLs", hubURL) }},
		{"webhooks", "[]",
			"The URLs that signals are sent to as JSON, signed. More can be added at any time by command and API; " +
				"those named here are there from the start.",
			func(c *Config) value { return webhookList(&c.Webhooks) }},
		{"sources", "[]",
			"The feeds to poll. More can be added at any time by command, API and page; " +
				"those named here are there from the start.",
			func(c *Config) value { return sourceList(&c.Sources) }},
		{"feeds", "[production, development]",
			"The outgoing feeds, by the names under which they are served at /feed/<name>. " +
				"If the file names any, exactly those exist.",
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
			"The outgoing feeds that its entries become articles for.",
			func(s *feed.Source) value { return list(&s.Feeds, "types of feeds", feedType) }},
		{"publish", "manual",
			"Who decides that an article goes out: manual is an editor, auto publishes each new one at once.",
			func(s *feed.Source) value {
				return oneOf(&s.Publish, words(feed.PublishManual, feed.PublishAuto))
			}},
		{"interval", "0",
			"The time between two polls. With 0, fetch.interval decides.",
			func(s *feed.Source) value { return durationOrNone(&s.Interval, time.Second, 30*day) }},
		{"min_interval", "0",
			"The shortest interval that is chosen where none is fixed. With 0, fetch.min_interval decides.",
			func(s *feed.Source) value { return durationOrNone(&s.Request.MinInterval, time.Second, day) }},
		{"timeout", "0",
			"How long one request may take. With 0, fetch.timeout decides.",
			func(s *feed.Source) value { return durationOrNone(&s.Request.Timeout, time.Second, 10*time.Minute) }},
		{"headers", "[]",
			"Header fields to send besides the usual ones, each like \"X-Key: abc\", to the source's own host only.",
			func(s *feed.Source) value { return headerList(&s.Request.Headers) }},
		{"username", "",
			"The user name for HTTP Basic, sent to the source's own host only.",
			func(s *feed.Source) value { return text(&s.Request.Username, "text", username) }},
		{"password", "",
			"The password that goes with it.",
			func(s *feed.Source) value { return hidden(&s.Request.Password, "text", password, hide) }},
		{"password_file", "",
			"A file with the password, instead of password.",
			func(s *feed.Source) value { return hiddenFile(&s.Request.Password, password) }},
		{"proxy", "",
			"The proxy for this source, or direct for none. Left empty, fetch.proxy decides.",
			func(s *feed.Source) value {
				return hidden(&s.Request.Proxy, "URL, or direct", proxyOrDirect, maskProxy)
			}},
		{"ignore_updates", "false",
			"Keeps each entry as it was first stored: its changes are neither stored nor signalled.",
			func(s *feed.Source) value { return boolean(&s.IgnoreUpdates) }},
		{"keep_entries", "0",
			"How many entries housekeeping keeps. With 0, fetch.keep_entries decides.",
			func(s *feed.Source) value { return count(&s.Keep.Entries, 0, 1_000_000) }},
		{"keep_for", "0",
			"How long it keeps what the source does not list any more. With 0, fetch.keep_for decides.",
			func(s *feed.Source) value { return durationOrNone(&s.Keep.For, time.Hour, 10*year) }},
		{"keep", "[]",
			"Takes only entries that one of these matches: title, content, link, author, category or any, " +
				"\"=\" and a regular expression (RE2), as in ['title=(?i)\\bferry\\b'].",
			func(s *feed.Source) value { return filters(&s.Filters.Keep) }},
		{"block", "[]",
			"Leaves out entries that one of these matches, also those that keep would take.",
			func(s *feed.Source) value { return filters(&s.Filters.Block) }},
		{"rules", "",
			"A file of publisher rules in JSON that say what its markup becomes in instant articles. They go before those of a feed.",
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
