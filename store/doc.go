// Package store keeps all of feedwire's state in Redis. It is the only importer of a Redis client; everything else asks
// it through the few methods it needs.
//
// Each write is one Lua script, sent by EVALSHA, so that no crash leaves half of it; each read of many is one pipeline.
// The scripts in scripts/ open with their KEYS and ARGV; what two of them do alike is in scripts/parts. They use nothing
// beyond what a plain Redis 6.2 and miniredis both have: no shebang, no Functions, no cmsgpack.
//
// # Keys
//
// Names in <> are placeholders. Times are Unix seconds. An empty prefix is the default; with Options.Prefix "news:" the
// first key is "news:ids:Entry". Members and values that name an entry never carry the prefix. Nothing has a TTL unless
// it is stated. In a Redis Cluster scripts are told of one key more, "guard", which never is: see keys.go.
//
// # Layouts
//
// On one Redis, and behind Sentinels, keys are named as they are listed below. In a Redis Cluster a prefix that begins with a
// tag, as {feedwire}:, names them in the same way, and all are in the slot of that tag. Where it has none the installation is
// in parts: behind the prefix each key has the tag of its place, so that what a script needs is in one slot:
//
//	{p00} … {p63}   the keys of sources, as in "{p07}Entry:5" and "{p07}<feed_url>:sort": those under Entries, Sources and
//	                Push in, but for removed:<id>; and for each part an outbox, named signals, and activity:<n> of what
//	                sources do
//	{hub}           the keys of the hub; signals, which all read, and signals:gathered
//	{desk}          all others, and activity:<n> of what people and consumers do
//
// The part of a source is the first byte of the SHA-256 of feed.Host of its URL, modulo 64: sources of one host are together, where
// their turns at that host are taken. One that has moved to another host stays, and has host:<host> of that one in its
// own part. Parts count ids of entries by themselves: there <n> is 64 times their count, and the number of the part;
// but nothing reads the part out of an id. Who knows an id alone asks all parts.
//
// What a source signals is written into the outbox of its part, and gathered from there: see gather.go. Records stay in an
// outbox for a minute after that, so that a master that fails does not take both with it.
//
// # List of keys
//
// Entries (seed 001):
//
//	ids:Entry              integer  last entry id, by INCR
//	Entry:<n>              hash     feed_url, guid, timestamp (required); title, link, content, summary, author,
//	                                authors (JSON, where several), date_published, date_updated, digest, aliases
//	                                (separated by spaces), edits, changed_at (to the millisecond), any other
//	<feed_url>:sort        zset     Entry:<n> by timestamp
//	<feed_url>:guidmap     hash     guid → Entry:<n>
//	<feed_url>:alias       hash     other name → Entry:<n>, see feed.GUIDAlias and feed.LinkAlias; empty where several
//	                                entries have the link
//	<feed_url>:dead        zset     guid and other names of an expired entry by the time it was last seen or expired;
//	                                it is not created again while the source lists it; dropped 30 days after
//
// Sources:
//
//	feeds                  hash     source id → feed_url
//	<feed_url>:meta        hash     settings: feeds, publish, interval (s), timeout (s), min_interval (s), headers (JSON),
//	                                username, password, proxy, paused, added, edition (counts changes of settings, from the time in ms at which it was added),
//	                                filters (JSON: keep and block, lists of {field, match}), categories (JSON list), ignore_updates, keep_entries, keep_for (s)
//	                                of the document: title, description, link, language
//	                                of the last poll: etag, last_modified, validated (the URL they belong to), body_sum,
//	                                generation, format, last_poll, last_ok, last_document, last_full, full_asked, entries, next_poll,
//	                                next_reason, asked (when another poll is to follow the one under way, and why), saved (how
//	                                many entries the poll under way has saved, and its token),
//	                                status, errors, error_class, error_text, failing_since, gone, gone_since; of a
//	                                permanent redirect moved_to, moved_since, moved_seen, moved_adopted, moved_checked;
//	                                rate_posts, rate_hours; hint_interval (s), skip_hours, skip_days (bits); identity,
//	                                listed; host: who is asked next time
//	<feed_url>:polls       list     the last 50 polls and a few before, newest first: time (ms), duration (ms), status,
//	                                new, modified, class of the failure
//	removed:<id>           hash     a source that was removed, in case somebody wants it back, as <feed_url>:meta has it: url,
//	                                feeds, publish, interval, timeout, min_interval, headers, username, password, proxy, paused,
//	                                added, filters, categories, ignore_updates, keep_entries, keep_for, title, link; TTL 24 h
//	sched:due              zset     feed_url by due time (to the millisecond); while a poll runs, by the end of its lease
//	sched:unwell           zset     feed_url of sources that are not active: -1 of one that is paused, 1000000 of one that is
//	                                gone, else failures in a row
//	sched:lease            hash     feed_url → token of the running poll
//	sched:added            hash     count of sources added in a row, last: when; TTL 60 s
//	host:<host>            hash     busy: token of the poll under way there, until: the end of its lease, next: when the
//	                                host may be asked again, tail: the last turn given to a source that waits; TTL
//	                                until the last of them. <host> has a port in private networks only
//
// Push in: subscriptions at the hubs of sources. Tokens and secrets are never shown.
//
//	<feed_url>:push        hash     feed_url, hub, topic, state, since, lease_end, last_push, last_ping, pushes, refused, missed,
//	                                errors, error_text, token, secret, asked, until, due, revision
//	push:leaving:<token>   hash     a subscription that was given up, until its hub has confirmed that or was asked often
//	                                enough: feed_url, hub, topic, state, since, lease_end, last_push, last_ping, pushes,
//	                                refused, missed, errors, error_text, token, secret, asked, until, due, revision
//	push:tokens            hash     token of the callback URL → feed_url
//	push:due               zset     feed_url, or token of one that was given up, by the time of the next step; while
//	                                that is done, by the end of the claim
//
// Signals:
//
//	signals                stream   the outbox: kind, feed_url, time, and for posts guid, entry, digest, and for changes
//	                                changed (JSON: field → {from, to}); for entries without signals of their own
//	                                held_created, held_modified; trimmed by age, never past what a consumer group
//	                                has not acknowledged. In each part, the outbox of its sources: what they signalled and
//	                                was not gathered yet, or in the last minute
//	signals:gathered       hash     in an installation in parts, number of a part → id of the last record of its outbox that is
//	                                in signals; and installation → its id, by which it is noticed that the hub has lost all
//
// Articles (seed 000); <type> is an outgoing feed:
//
//	article:<uuid>         hash     uuid, title, canonical, entry, feed_url, guid, authors (JSON), summary, categories (JSON),
//	                                image, enclosures (JSON: list of {url, type, length}), digest,
//	                                signal (id of the one that told of this content),
//	                                date_editorially_published, date_modified, date_updated; for each type
//	                                date_published_<type>, date_imported_<type>, revision_<type>, and digest_<type>:
//	                                the content that was last published there
//	article:<uuid>:content string   HTML of the entry
//	article:<uuid>:versions list    the last 5 versions of title and content, newest first, each as JSON, compressed
//	article:<uuid>:deeds   list     the last 50 entries of the audit log about it, newest first, as JSON
//	articles               zset     known uuids by date_updated
//	published_<type>       zset     uuids in the feed by publication
//	imported_<type>        zset     uuids by last import
//	expired_<type>         zset     uuids that aged out short of being imported, by that time
//	taken_back_<type>      zset     uuids an editor removed, by that time
//	article:<uuid>:impressions:<type>  list  impression times of the current revision, newest first
//	version:<type>         integer  microseconds of the last change of what the feed shows, each time more than before
//	visits:<type>          stream   requests for the feed: time, client, status, counted; the newest 2,000 or a few more
//
// The hub. <sub> is feed.SubscriptionID, its first six letters the host of the callback; <topic> is feed.TopicID. Callbacks
// and secrets are never shown.
//
//	hub:cursor             string   id of the last signal that was distributed
//	hub:requests           hash     <sub>.<n> → request that is not carried out yet: as JSON, then a line: asked and tries
//	hub:verify             zset     <sub>.<n> of a request by the time it is due, or the end of its claim
//	hub:asking:<id>        zset     <sub>.<n> that the daemon with this id has claimed, by the end of the claim; TTL 20 s
//	hub:subscriptions      hash     <sub> → subscription, as JSON
//	hub:leases             zset     <sub> by the end of its lease; none without end
//	hub:hosts:<host>       hash     of the hosts that begin with these two letters, the other four → subscriptions that deliver
//	                                to it
//	hub:health             hash     <sub> → how its last delivery failed, as JSON; none where it did not
//	hub:paused             set      <sub> that a person paused
//	hub:idle               hash     <topic> → since when nobody subscribes to a source that subscribers added
//	hub:readers            hash     <sub> → for how many readers it says it is, where it does
//	hub:topics             hash     <topic> → URL of a topic with subscriptions
//	hub:topic:<topic>      hash     version; changed, type, sum, whole: of the newest version
//	hub:topic:<topic>:subs zset     <sub> by the version that it gets next; negative while that is on its way
//	hub:body:<topic>:<n>   hash     version <n> of a topic: type, body, entries, time; TTL 25 h, the newest none
//	hub:document:<topic>   hash     with hub.distribution full, the document of a source as it came: type, body; TTL 25 h
//	hub:planning           zset     <topic> whose subscriptions do not all know of its newest version, by its turn
//	hub:ready              zset     <sub> whose delivery may start; all scores are 0, so that hosts stand together
//	hub:later              zset     <sub> by the time of its next try; while it is delivered, by the fence of the claim
//	hub:dead               stream   dead letters: subscription, topic, first, last, failures, since, time, status, reason;
//	                                the newest 10,000 or a few more
//
// People. <name> is that of an account, <hash> the SHA-256 of a secret, in hex; no secret is kept.
//
//	accounts               set      names of all accounts
//	account:<name>         hash     name, role, password (bcrypt; empty: none was chosen), created, last_sign_in, disabled,
//	                                generation: a session of another one does not hold
//	account:<name>:sessions zset    <hash> of its sessions by the end of their life; TTL 720 h
//	account:<name>:known   zset     the last 20 addresses that it signed in from, by when; TTL 2160 h
//	session:<hash>         hash     account, created, seen, address, agent, generation; TTL 12 h
//	link:<hash>            string   a one-time link: the account whose password it sets, empty for the first one; TTL 1 h
//	attempts:<whose>       hash     sign-ins at an address or account that failed or are under way: count, until: when the
//	                                next one is taken, once there are many; TTL 2 h
//	tokens                 hash     id → token of the API, as JSON, with the SHA-256 of its secret
//	tokens:used            hash     id → when it was last used
//	audit                  stream   changes by people: time, who, action, on, before, after, from; trimmed by age; the
//	                                newest 200,000 or a few more
//
// Bookkeeping:
//
//	activity:<n>           hash     what happened in minute <n> since 1970: polls, failed (of them), created, modified (entries),
//	                                signals, published, impressions, imported (articles); TTL 2 h
//	fetch:<type>:<id>      string   what recording the impressions of this fetch answered; TTL 1 h, a week for those of a journal
//	request:<id>           string   what a publish or take-back with this request id answered; TTL 24 h
//	undo:<id>              hash     "<uuid> <type>" → how that was before people published it or took it back, as JSON; TTL 1 h
//	answer:<id>            hash     of a request with an Idempotency-Key, sum: of what was asked; while it is under way,
//	                                token; then what was answered: status, type, location, body, told; TTL 24 h
//	job:<id>               string   an import, as JSON; TTL 24 h after its last progress
//	job:<id>:results       list     what became of each source of the list, as JSON, in its order; TTL likewise
//	job:<id>:work          hash     of an import that has not ended, work: the list, token: of the daemon that works on it;
//	                                TTL likewise
//	jobs                   zset     ids of imports that have not ended, by when a daemon may take them: while one works on
//	                                it, by the end of its claim
//	schema                 integer  version of this layout; a newer one is refused
//	installation           string   id of this installation, made with its first start
//	closed                 string   why no daemon begins its work here, or goes on: "restore" and of which backup, while that is
//	                                written; "copy" and of which installation, while that is not complete; "migrate" and by
//	                                whom, while it is copied from here: TTL 15 s, the others none
//	ready                  string   the test write of the readiness check; TTL 60 s
//
// The state of an article in a feed follows from the sets, in this order: published, taken back, expired, imported,
// else known. imported_<type> keeps an article that is published again, as its last import.
package store
