// Package ranking stores votes on entries, groups of entries, and their order by time and by score.
//
// An entry is called an article here, as in the seed. It becomes one when a user votes on it, when it gets a group, or when a member posts
// it, with an upvote of its author.
//
// One call of a script executes the votes of many concurrent users.
//
// Invariant while voting is open: score = time + weight × votes, votes = upvotes − downvotes, and no user is in both sets. Voting
// closes Options.VoteWindow after the time of the article. Then score and votes are final, and the sets expire a day later.
//
// An entry joins groups by rule, or because an editor adds it. It leaves by rule what it joined by rule only, and what an editor removed
// it from it does not join again.
//
// Votes without an account count in a field of their own and never change a score. Only digests of networks are stored, which the id of the
// installation keys.
//
// A group has its own order, which is computed from group:<name> and score: when it is read and stored for a minute, because the
// computation takes time. Votes on known members change the stored order at once. The order of a group with more than 1,000 entries does not expire,
// and is computed in steps of some hundred entries, so that Redis is free in between.
//
// The rankings of feed.Rankings are computed every minute from the votes and times of up to some thousand articles, never when they are read. Each
// has up to feed.MaxRanked members.
//
// Editors arrange other lists by hand. The order of such a list is a zset, in which the first entry has the highest score. A moved entry gets a
// score between those of its new neighbours, so that a cursor stays valid. Where there is none, the scores of the list become whole numbers
// again. Each change of a list gives it another version, by which a change that does not know the last one is refused.
//
// When an entry is taken down, its article loses everything but the mark del, so that it is never ranked again. When an entry expires, its
// article is deleted.
//
// A vote marks its article in the same step. The marked articles are signalled a few seconds later, each once with its current votes, so that the
// number of signals does not follow that of votes.
//
// The digests of all lists are compared every minute, with those of the last comparison, in one script.
//
// A submission is an article, too. Members vote on it with karma. The scripts of package community do that, which have the fragments of this
// package: they change both vote stores in one step.
//
// # Keys
//
// All keys belong to the desk. <n> is the number of an entry, <id> that of an account. Times are Unix seconds with a fraction.
//
//	article:               integer  how many articles there are
//	article:<n>            hash     title, link, author ("user:<id>", or the URL of the source), time of the entry when it became
//	                                an article, votes, up: how many of them are upvotes, once there was one, anonymous (votes without an account, up minus
//	                                down), groups (separated by commas), by_rule: those of them that it joined by rule,
//	                                not_by_rule: those that an editor removed it from, news: 1, members vote on it with
//	                                karma, in package community, lists: those that editors arrange and that it is in, unsignalled: 1,
//	                                it is in votes:unsignalled; or del only: 1, the entry was taken down
//	time:                  zset     article:<n> by time
//	score:                 zset     article:<n> by score
//	upvoted:<n>            set      "user:<id>" of each user who voted for it; TTL 192 h
//	downvoted:<n>          set      "user:<id>" of each user who voted against it; TTL 192 h
//	voted:<id>             zset     article:<n> of the votes of a user by the time of the vote in whole seconds; TTL 192 h
//	votes:unsignalled      zset     article:<n> whose votes changed since they were signalled, by the first of these changes
//	votes:signalled        string   when votes were last signalled
//	lists:signalled        hash     name of a list → digest of what its feeds show, as it was signalled last
//	lists:compared         string   when the digests were last compared
//	groups                 set      names of the groups
//	groups:rules           string   digest of the rules that all entries follow
//	group:<name>           set      article:<n> of the members
//	score:<name>           zset     article:<n> of the members by score; TTL 60 s with up to 1,000 members, the others none
//	score:<name>:build     zset     the part of such an order that is computed, and next: the place to continue; TTL 60 s
//	score:<name>:empty     string   1: the group has no members; TTL 60 s
//	lists                  set      names of the lists that editors arrange
//	list:<name>            hash     title, description, query of a saved search, version: changes with each change of the list
//	list:<name>:order      zset     article:<n> of its entries; the first one has the highest score
//	rank:<name>            zset     article:<n> of the members of a ranking by rank
//	anonymous:<n>          hash     digest of a network → "up" or "down", votes without an account; TTL 192 h
//	anonymous.voting:<hash> integer how often a network has voted; TTL 3600 s
package ranking
