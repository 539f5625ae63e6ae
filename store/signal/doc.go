// Package signal reads the signals: all of them in their order, those that a consumer group has to handle, or those that a query
// selects. Other packages append signals, in the script that makes the change which they report.
//
// A signal is stored until it is older than the given age and every consumer group has acknowledged it.
//
// # Keys
//
// Package core owns the keys, because it merges the outboxes of sources into the stream. Times are Unix seconds.
//
//	signals                stream   the outbox: kind, feed_url, time; of posts guid, entry, digest; of changes changed (JSON: field →
//	                                {from, to}); of entries without signals of their own held_created, held_modified; of comments
//	                                entry, comment and parent (0: none); trimmed by age, except signals that a consumer group has
//	                                not acknowledged
//	signals:gathered       hash     see package core: number → id of a record, installation → its id
package signal
