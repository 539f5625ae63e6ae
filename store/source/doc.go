// Package source stores sources, schedules their polls, and stores their subscriptions at hubs.
//
// A poll holds a lease. Every write of a poll checks the token of the lease, so several daemons may share the sources. At most one
// poll of a host runs at a time.
//
// remove_source.lua also deletes keys of package entry: it removes a source and the last traces of its entries at once.
// save_entries.lua of package entry sets format, saved, title, description, link and language in <feed_url>:meta; finish_poll.lua
// checks saved. Signals go to the outbox of package core.
//
// # Keys
//
// Times are Unix seconds. A token or secret is never shown. removed:<id> is at the desk; all other keys belong to the source. Sets of
// all sources are divided: see core.DB.QueryAll.
//
//	feeds                  hash     source id → feed_url
//	<feed_url>:meta        hash     settings: feeds, publish, interval (s), timeout (s), min_interval (s), headers (JSON),
//	                                username, password, proxy, secrets_for (scheme, host and port for which they were entered), cleared (why secrets were removed),
//	                                paused, added, edition (counts changes of settings, from the time in ms at which it was added),
//	                                filters (JSON: keep and block, lists of {field, match}), categories (JSON list), ignore_updates, timestamp, keep_entries,
//	                                keep_for (s); name: given by a person
//	                                of the document: title, description, link, language, feed_authors, feed_categories (JSON lists of
//	                                objects), feed_image, feed_icon, feed_rights, and of a podcast feed_owner, feed_owner_email,
//	                                feed_type, feed_explicit (true or false), feed_persons (JSON list)
//	                                of the last poll: etag, last_modified, validated (the URL they belong to), body_sum,
//	                                generation, format, last_poll, last_ok, last_document, last_full, full_asked, entries, next_poll,
//	                                next_reason, asked (when to poll again after the poll under way, and why), saved (how
//	                                many entries the poll under way has saved, and its token), pushed (since when the entries
//	                                of pushes are counted, and how many), news (how many signalled entries count towards the
//	                                limit of a day, and when that was),
//	                                status, errors, error_class, error_text, failing_since, gone, gone_since; of a
//	                                permanent redirect, or of the address that a person chose, moved_to, moved_since, moved_seen,
//	                                moved_adopted, moved_checked, moved_chosen;
//	                                rate_posts, rate_hours; hint_interval (s), skip_hours, skip_days (bits); identity,
//	                                listed, findings (JSON: class, count, text); host: the host of the next request
//	<feed_url>:polls       list     the last 50 polls or a few more, newest first: time (ms), duration (ms), status,
//	                                new, modified, class of the failure
//	removed:<id>           hash     settings of a source that was removed, for RestoreSource, as <feed_url>:meta has them: url,
//	                                feeds, publish, interval, timeout, min_interval, headers, username, password, proxy, secrets_for, cleared,
//	                                paused, added, filters, categories, ignore_updates, timestamp, keep_entries, keep_for, title, link, name, moved_to, moved_since,
//	                                moved_seen, moved_adopted, moved_checked, moved_chosen; TTL 24 h
//	sched:due              zset     feed_url by due time (to the millisecond); during a poll, by the end of its lease
//	sched:unwell           zset     feed_url of sources that are not active: -1 if paused, 1000000 if gone, else failures in a row
//	sched:lease            hash     feed_url → token of the running poll
//	sched:added            hash     count of sources added in a row, last: when; TTL 60 s
//	host:<host>            hash     busy: token of the poll under way there, until: the end of its lease, next: when the
//	                                host may be polled again, tail: the last slot of its queue; TTL
//	                                until the last of them. <host> has a port in private networks only
//	<feed_url>:push        hash     feed_url, hub, topic, state, since, lease_end, last_push, last_ping, pushes, refused, missed,
//	                                limited, limited_until, errors, error_text, token, secret, asked, until, due, revision
//	push:leaving:<token>   hash     a subscription to end, until its hub confirms or has had enough requests:
//	                                feed_url, hub, topic, state, since, lease_end, last_push, last_ping, pushes,
//	                                refused, missed, limited, limited_until, errors, error_text, token, secret, asked,
//	                                until, due, revision
//	push:tokens            hash     token of the callback URL → feed_url
//	push:due               zset     feed_url, or token of a subscription to end, by the time of the next step; during
//	                                the step, by the end of its claim
package source
