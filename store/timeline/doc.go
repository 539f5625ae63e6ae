// Package timeline stores which sources users follow, and the timeline of each user: the entries of those sources, newest first.
//
// The truth is in the follows of the user and in the entries of the sources. feed:user:<user> is a cache of the newest part of the
// timeline, which Timeline builds from the truth when a user reads after a while, and which Fanout keeps up to date.
//
// # Promises
//
//   - A page has every entry after its cursor in the order (timestamp, id), although many entries share a second and new ones arrive.
//     Entries beyond the cache are read from the truth.
//   - No page has an entry that was taken down, that expired, or whose source the user does not follow or has muted, because Timeline
//     checks each entry when it reads it.
//   - No entry is lost while the cache is built: the marker feed:user:<user>:warm exists before the truth is read, and from then on
//     Fanout adds entries. An entry is stored before its fan-out begins.
//   - Fan-out does not extend the life of a cache; reads do. It changes nothing for users who have not read for a week.
//
// The cache contains the newest entries of the timeline without gaps. An entry that would become its last one is therefore left out:
// there may be others between it and the one before.
//
// A follow and an unfollow drop the cache. The next read builds it with all entries of the new source, and without those of the old one.
//
// # Reading
//
// An entry is read if its timestamp is not above the mark of its source in user.readmark:<user>, or if it is in user.read:<user>, unless it
// is in user.keepunread:<user>. The mark of a source is raised to the timestamp of its newest entry, and never lowered. It prunes both
// sets. Nothing is stored for an entry that no one has read.
//
// Marking all as read costs a command for each source, however many entries there are. One mark for all sources would be cheaper, but one
// with a time marks entries that a later poll finds, and one with the number of the last entry does not count those of a source that are
// unread without reading entries.
//
// # Keys
//
// The keys of a user are in one Keyspace, <feed_url>:followers is with its source, the others are at the hub. Times are Unix
// seconds. The owner of a source does not delete its followers: a source that is
// restored has them again.
//
//	user.follows:<user>    hash     feed_url → follow, as JSON
//	feed:user:<user>       zset     numbers of the newest 500 entries at most, by timestamp; TTL 168 h after the last read; reads in the 10 s after
//	                                that do not extend it
//	feed:user:<user>:warm  string   "ready", TTL 604740 s after the last read, a minute less than the cache; "building <token>"
//	                                while the cache is built, TTL 30 s; "empty" if there was no entry, TTL 60 s
//	user.fetches:<user>    integer  how many addresses were fetched in an hour because the user follows them; TTL 1 h
//	user.readmark:<user>   hash     feed_url → timestamp of the newest entry that was there when the user read all; of the follows, and of
//	                                5,000 other sources at most
//	user.read:<user>       zset     "<n> <feed_url>" of entries above the mark that are read, by timestamp; 10,000 at most: the mark of
//	                                its source replaces the oldest
//	user.keepunread:<user> zset     "<n> <feed_url>" of entries below the mark that are unread, by timestamp; the newest 1,000
//	user.saved:<user>      zset     numbers of entries by the time at which the user saved them; 10,000 at most. <feed_url>:saved of
//	                                package entry makes them stay
//	user.posted:<user>     zset     numbers of the posts of the user by timestamp, as the entries of feed.MemberURL
//	user.posting:<user>    integer  how many posts were written in a day; TTL 24 h
//	user.uploaded:<user>   integer  how many bytes of images were stored in a day; TTL 24 h
//	user.voting:<user>     integer  how many votes were cast in an hour; TTL 1 h
//	user.submitting:<user> integer  how many submissions a new account has made in a day; TTL 24 h
//	user.commenting:<user> integer  how many comments a new account has written in an hour; TTL 1 h
//	<feed_url>:followers   zset     ids of users by id
//	fanout                 stream   chunks of up to 500 followers whose caches do not have a change yet: feed_url, entry, first and last
//	                                id of a follower, time of the signal
//	fanout:dead            stream   the last 1,000 chunks that failed five times: the same fields
//	follows.default        set      feed_url of the sources that new members follow
//	posts.removed          zset     numbers of the last 100,000 posts that were taken down, by that time
//	fanout:pulled          set      feed_url of sources with so many followers that their entries are not in the caches
package timeline
