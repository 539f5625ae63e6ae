// Package article stores articles, their state in each outgoing feed, and who visits the feeds.
//
// Invariant: an article is in at most one of the sets published, expired and withdrawn of a feed. Its state is the first of
// published, withdrawn, expired and imported whose set contains it, otherwise unpublished. The set of imported articles also
// keeps an article that is published again: its score is the last import.
//
// The inbox holds the articles without a decision: those that are in no set of any feed and not dismissed. A script that
// changes the state of an article keeps it so.
//
// An impression counts for one revision. An article that is imported after n impressions leaves the set of published articles
// with its nth impression, exactly once.
//
// # Keys
//
// All keys belong to the desk. <type> is an outgoing feed. Times are Unix seconds.
//
//	article:<uuid>         hash     uuid, title, canonical, entry, feed_url, guid, authors (JSON), summary, categories (JSON),
//	                                image, enclosures (JSON: list of {url, type, length}), fields (JSON: other fields of the
//	                                entry by name), digest, signal (id of the signal that announced this content),
//	                                date_editorially_published, date_modified, date_updated,
//	                                reread_at (when a newer parser last changed fields of an entry that was not edited); for
//	                                each type date_published_<type>, date_imported_<type>, revision_<type>, and digest_<type>:
//	                                of the content that was last published there
//	article:<uuid>:content string   HTML of the entry
//	article:<uuid>:versions list    the last 5 versions of title and content, newest first, each as JSON, compressed
//	articles               zset     uuids of all articles by date_updated
//	inbox                  zset     uuids of the articles to review by date_editorially_published, or by date_updated if that is
//	                                earlier or the only one
//	dismissed              zset     uuids of the articles that an editor dismissed, by that time
//	published_<type>       zset     uuids in the feed by publication
//	imported_<type>        zset     uuids by last import
//	expired_<type>         zset     uuids that aged out of the window before they were imported, by that time
//	withdrawn_<type>       zset     uuids that an editor withdrew, by that time
//	taken_back_<type>      zset     layout 1 only: its name for withdrawn_<type>, until Check upgrades the data
//	article:<uuid>:impressions:<type>  list  impression times of the current revision, newest first
//	version:<type>         integer  microseconds of the last change of the content of the feed, strictly increasing
//	visits:<type>          stream   requests for the feed: time, client, status, counted; the newest 2,000 or a few more
//	fetch:<type>:<id>      string   result of recording the impressions of this fetch; TTL 1 h, a week for fetches of a journal
//	request:<id>           string   result of a decision with this request id; TTL 24 h
//	undo:<id>              hash     "<uuid> <type>" → the placement before a decision, as JSON; "<uuid> " → what it was before it
//	                                was dismissed or restored; TTL 1 h
//	removals               integer  calls of RemoveArticle
//
// ForgetArticles and RemoveArticle also delete article:<uuid>:deeds, which package people writes.
package article
