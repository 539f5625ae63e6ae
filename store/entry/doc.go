// Package entry stores the entries of sources, decides which entries of a document are new or changed, and appends their signals.
//
// An entry and its signal are written by one script: both exist or neither does. An entry that expired or was taken down is not
// created again while the source still lists it.
//
// save_entries.lua also writes keys of two other packages. It appends to the outbox of package core. It checks the lease in
// sched:lease, and it sets format, saved, title, description, link and language in <feed_url>:meta of package source: a poll may
// finish only if the entries that it saved are stored, and the title of a feed changes together with the signal about that.
// Package source deletes the keys of this package together with a source.
//
// # Keys
//
// All keys belong to the source, and so are in one Keyspace. Times are Unix seconds.
//
//	ids:Entry              integer  number of the last entry, by INCR
//	Entry:<n>              hash     feed_url, guid, timestamp (required); title, link, content, summary, author,
//	                                authors (JSON, if there are several), date_published, date_updated, digest, aliases
//	                                (separated by spaces), edits, changed_at (to the millisecond), hidden (it is in no list of its source; 1:
//	                                by a moderator, edited: likewise, and it was edited since, held: it waits for one and has no signal),
//	                                source_updated (the last date_updated that the source gave an entry that was edited),
//	                                reread_at (when a newer parser changed fields although the entry was not edited; to the
//	                                millisecond), unread (the digest before that, if it was another; until the next edit), expired_at
//	                                (then it stays only because users saved it), any other
//	<feed_url>:sort        zset     Entry:<n> by timestamp
//	<feed_url>:guidmap     hash     guid → Entry:<n>
//	<feed_url>:alias       hash     other name → Entry:<n>, see feed.GUIDAlias and feed.LinkAlias; empty if several
//	                                entries have the link
//	<feed_url>:dead        zset     tombstones: guid and other names of expired entries by the time at which the source last listed
//	                                them or they expired; dropped 30 days after, and beyond the latest 50,000
//	<feed_url>:takedowns   zset     tombstones: guid and other names of entries that were taken down, by the time at which the
//	                                source last listed them or they were taken down; dropped as in <feed_url>:dead, and beyond
//	                                the latest 10,000, and 30 days after the source was removed. A link that no other entry had
//	                                is "<alias>@<hours since 1970>" of the publication, "<alias>=<hash of the title>", and
//	                                without a date "<alias>~<hash of the title>"; texts, files and date are "t:<hash>"
//	<feed_url>:deleted     zset     guids of the 100 entries that were taken down last, by that time; dropped 30 days after
//	<feed_url>:saved       zset     "Entry:<n> <user>" for each user who saved the entry, by name. The entry stays when it expires, and
//	                                when the source is removed, until no one has saved it
package entry
