package store

import (
	"strconv"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// keys builds every key, and nothing else does, so that another layout is a matter of this file. The keys of one
// source belong together and the keys of one outgoing feed do: no script mixes the two.
type keys struct{ prefix string }

func (k keys) entryIDs() string              { return k.prefix + "ids:Entry" }
func (k keys) entry(id string) string        { return k.prefix + id } // id is "Entry:5"
func (k keys) sort(feedURL string) string    { return k.prefix + feedURL + ":sort" }
func (k keys) guidmap(feedURL string) string { return k.prefix + feedURL + ":guidmap" }
func (k keys) dead(feedURL string) string    { return k.prefix + feedURL + ":dead" }
func (k keys) alias(feedURL string) string   { return k.prefix + feedURL + ":alias" }
func (k keys) meta(feedURL string) string    { return k.prefix + feedURL + ":meta" }
func (k keys) polls(feedURL string) string   { return k.prefix + feedURL + ":polls" }
func (k keys) feeds() string                 { return k.prefix + "feeds" }
func (k keys) due() string                   { return k.prefix + "sched:due" }
func (k keys) unwell() string                { return k.prefix + "sched:unwell" }
func (k keys) lease() string                 { return k.prefix + "sched:lease" }
func (k keys) added() string                 { return k.prefix + "sched:added" }
func (k keys) host(host string) string       { return k.prefix + "host:" + host }
func (k keys) push(feedURL string) string    { return k.prefix + feedURL + ":push" }
func (k keys) leaving(token string) string   { return k.prefix + "push:leaving:" + token }
func (k keys) pushTokens() string            { return k.prefix + "push:tokens" }
func (k keys) pushDue() string               { return k.prefix + "push:due" }
func (k keys) signals() string               { return k.prefix + "signals" }
func (k keys) article(uuid string) string    { return k.prefix + "article:" + uuid }
func (k keys) content(uuid string) string    { return k.prefix + "article:" + uuid + ":content" }
func (k keys) articles() string              { return k.prefix + "articles" }
func (k keys) versions(uuid string) string   { return k.prefix + "article:" + uuid + ":versions" }
func (k keys) deeds(uuid string) string      { return k.prefix + "article:" + uuid + ":deeds" }
func (k keys) undo(id string) string         { return k.prefix + "undo:" + id }
func (k keys) version(typ string) string     { return k.prefix + "version:" + typ }
func (k keys) fetch(typ, id string) string   { return k.prefix + "fetch:" + typ + ":" + id }
func (k keys) request(id string) string      { return k.prefix + "request:" + id }
func (k keys) answer(id string) string       { return k.prefix + "answer:" + id }
func (k keys) job(id string) string          { return k.prefix + "job:" + id }
func (k keys) results(id string) string      { return k.prefix + "job:" + id + ":results" }
func (k keys) work(id string) string         { return k.prefix + "job:" + id + ":work" }
func (k keys) jobs() string                  { return k.prefix + "jobs" }
func (k keys) hub(name string) string        { return k.prefix + "hub:" + name } // of those there is one of
func (k keys) asking(owner string) string    { return k.prefix + "hub:asking:" + owner }
func (k keys) topic(id string) string        { return k.prefix + "hub:topic:" + id }
func (k keys) subs(topicID string) string    { return k.prefix + "hub:topic:" + topicID + ":subs" }
func (k keys) accounts() string              { return k.prefix + "accounts" }
func (k keys) account(name string) string    { return k.prefix + "account:" + name }
func (k keys) sessions(name string) string   { return k.prefix + "account:" + name + ":sessions" }
func (k keys) known(name string) string      { return k.prefix + "account:" + name + ":known" }
func (k keys) session(sum string) string     { return k.prefix + "session:" + sum }
func (k keys) link(sum string) string        { return k.prefix + "link:" + sum }
func (k keys) attempts(whose string) string  { return k.prefix + "attempts:" + whose }
func (k keys) tokens() string                { return k.prefix + "tokens" }
func (k keys) tokensUsed() string            { return k.prefix + "tokens:used" }
func (k keys) visits(typ string) string      { return k.prefix + "visits:" + typ }
func (k keys) removed(id string) string      { return k.prefix + "removed:" + id }
func (k keys) audit() string                 { return k.prefix + "audit" }
func (k keys) schema() string                { return k.prefix + "schema" }
func (k keys) installation() string          { return k.prefix + "installation" }
func (k keys) ready() string                 { return k.prefix + "ready" }
func (k keys) closed() string                { return k.prefix + "closed" }
func (k keys) impressions(uuid, t string) string {
	return k.prefix + "article:" + uuid + ":impressions:" + t
}

// guard is a key that never is. In a cluster each script names it with its own: while their slot moves from one node to
// another a call that names a key that neither has is refused and tried again, and so no script ever sees a part of them.
func (k keys) guard() string { return k.prefix + "guard" }

// activity is where the minute at a time is counted.
func (k keys) activity(at time.Time) string {
	return k.prefix + "activity:" + strconv.FormatInt(at.Unix()/60, 10)
}

// hosts is where a host's subscriptions are counted, and under which name: hashes of few fields take little memory.
func (k keys) hosts(host string) (key, field string) {
	return k.prefix + "hub:hosts:" + host[:2], host[2:]
}

// document is the document of a source as it came.
func (k keys) document(topicID string) string { return k.prefix + "hub:document:" + topicID }

// bodies is what the keys of a topic's versions begin with.
func (k keys) bodies(topicID string) string { return k.prefix + "hub:body:" + topicID + ":" }

// body is one version of a topic.
func (k keys) body(topicID string, version int64) string {
	return k.bodies(topicID) + strconv.FormatInt(version, 10)
}

// placed is the sorted set of the articles in one state; known articles have none.
func (k keys) placed(state feed.State, typ string) string {
	return k.prefix + string(state) + "_" + typ
}

// placement lists the keys a script needs to move an article in one outgoing feed.
func (k keys) placement(uuid, typ string) []any {
	return []any{
		k.article(uuid), k.articles(), k.version(typ), k.impressions(uuid, typ),
		k.placed(feed.StatePublished, typ), k.placed(feed.StateImported, typ),
		k.placed(feed.StateExpired, typ), k.placed(feed.StateTakenBack, typ),
	}
}
