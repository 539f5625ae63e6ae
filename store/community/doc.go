// Package community stores submissions of members, which their keys call news: votes on them with karma, their order by time and by
// rank, and their comments.
//
// A submission is an entry of the local source of its author and has the number of that entry. The entry is created first, and Submit makes
// it news. An entry whose Submit never ran, because the daemon was killed in between, stays a post of its author; a repetition of the
// request with its Idempotency-Key completes it.
//
// An entry of a source that feed.OfferOf makes a submission of has no author. Its title and URL follow the entry. When the entry expires or is
// taken down, news and thread are deleted; lists of members may still name them.
//
// Submit and Vote keep two vote stores in step in one script: the votes on news, which cost karma, and those on the article
// of the entry, by which package ranking orders lists and groups. The promise belongs to this package, so the scripts are here. They use the
// fragments of package ranking for its keys.
//
// Invariants: up and down of news:<n> are the sizes of news.up:<n> and news.down:<n>, and no member is in both. While voting on the article
// is open, which is as long as members vote on news, upvoted:<n> and downvoted:<n> have the same members. News without del and held that is not removed
// is in news.cron and news.top, other news is in neither, but in news.unlisted while it has an entry that SweepNews has to wait for. News is in
// news.held if its state is held.
//
// The score is up − down, and 2 ln(v − 10) more if v, half of the upvotes and half of the downvotes, is above 10. The rank is
// 1,000,000 × score / (age + 28,800 s)^1.1, and −age after 30 days. A vote computes it anew, and RankNews does so for the first
// feed.TopNews. Reads do not.
//
// The comments on a submission are one hash. A deleted comment keeps its place without its body. Each change of a comment changes the revision in
// news:<n>, so that one field tells whether a thread that was read before is still that of Redis.
//
// A moderator hides a comment or news, so that only its author sees it, or removes it, so that no one does. Both keep the text, and can be
// reverted. comments of news:<n> counts the other comments; for its
// author, News adds the hidden ones. Hidden news stays in the lists, and News leaves it out for other readers; removed
// news is in neither list. Thread decides for each reader, so that hidden comments have no other door. What is written below a
// hidden comment is hidden.
//
// The karma of a member is in its account, user:<id>, which belongs to package people, and ends with it: karma, which no account has until
// it changes and is 1 then, and karma_incr_time, when it was last raised for use of the site. So are replies, the number of
// unread visible replies to comments of the member by others, and replies_seen, when the member last read them.
//
// News of a member whose submissions are reviewed is held: only its author and moderators see it. It has no article. A moderator approves it,
// which publishes it at that time, or rejects it with a reason for the author. An edit of such a member holds it again; its place does not
// change then.
//
// # Keys
//
// All keys belong to the desk. <n> is the number of an entry, <id> that of an account. Times are Unix seconds with a fraction.
//
//	news:<n>               hash     id, title, url (or "text://" and the text), user_id (0: the account was removed, or there is a
//	                                source), source (URL of the source whose entry was offered), ctime, score, rank,
//	                                up, down, comments, del: 1, it was deleted, locked: 1, comments are refused, state:
//	                                hidden, removed or rejected, by a moderator, or held, until one decides, reason: why it was rejected,
//	                                held: 1, no one but its author has seen it, hidden:<id>: how many hidden comments
//	                                the member wrote, revision: of the thread
//	news.up:<n>            zset     <id> of each member who voted for it by time
//	news.down:<n>          zset     <id> of each member who voted against it by time
//	news.cron              zset     <n> by ctime
//	news.top               zset     <n> by rank
//	news.held              zset     <n> of what waits for a moderator by when that began
//	news.unlisted          zset     <n> by ctime of what is in neither list, and whose entry may still end: removed by a moderator, held, or
//	                                offered and deleted
//	url:<url>              string   <n> of the submission that has the URL; TTL 48 h
//	user:<id>:submitted_recently  string  1: the member has submitted; TTL 900 s
//	thread:comment:<n>     hash     nextid → number of the last comment; number of a comment → JSON: body, parent_id (-1: none), user_id (0: the
//	                                account was removed), ctime, up and down (lists of <id>), score: 0, depth, del: 1, it was deleted, state:
//	                                hidden or removed, by a moderator
//	user.comments:<id>     zset     "<n>-<number of the comment>" of the comments of a member by ctime
//	voted.comments:<id>    zset     the same of the votes of a member on comments of others by time
//	voted.news:<id>        zset     <n> of the votes of a member by time
//	community.banned       zset     <id> of the accounts that may not write, vote and report here by time
//	reports                zset     <object> that members have reported and no moderator has decided about, by the first report; <object> is
//	                                "<n>" or "<n>-<number of the comment>"
//	reports:<object>       hash     <id> of a member → time and reason; TTL 2160 h
//	user.reports:<id>      zset     <object> that a member has reported by time; TTL 2160 h
package community
