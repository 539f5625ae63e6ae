package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// keys builds every key, and nothing else does, so that another layout is a matter of this file. The keys of one
// source belong together, and those of the hub, and those of the desk: no script mixes them. In the seeds' layout all begin
// with the prefix and nothing else; in the partitioned one a tag follows, so that each group is in one slot of a cluster.
type keys struct {
	prefix string // before each key
	desk   string // before those of articles, people and the installation
	wire   string // before those of the hub, and of the signals that everybody reads
	parts  []part // where sources are: one in the seeds' layout
}

// part builds the keys of the sources that are in one slot. Most hold for one source, some for all of them.
type part struct {
	prefix string // before each key
	number int    // its place among the parts
}

// partCount is into how many parts a partitioned installation divides its sources. It is a promise to the data: with
// another number they would be looked for elsewhere.
const partCount = 64

// newKeys is the layout of one or the other kind.
func newKeys(prefix string, partitioned bool) keys {
	if !partitioned {
		return keys{prefix: prefix, desk: prefix, wire: prefix, parts: []part{{prefix: prefix}}}
	}
	k := keys{prefix: prefix, desk: prefix + "{desk}", wire: prefix + "{hub}", parts: make([]part, partCount)}
	for i := range k.parts {
		k.parts[i] = part{fmt.Sprintf("%s{p%02d}", prefix, i), i}
	}
	return k
}

// checkTag makes sure that a prefix says what it means in a cluster: with a tag in front all keys are in the slot of that
// tag, without one they are in parts.
func checkTag(prefix string) error {
	rest, tagged := strings.CutPrefix(prefix, "{")
	tag, _, closed := strings.Cut(rest, "}")
	if tagged && closed && tag != "" || !strings.Contains(prefix, "{") {
		return nil
	}
	return errors.New("a prefix in a Redis Cluster begins with a tag, as {feedwire}: does, and all keys are on one node, " +
		"or it has no brace, and they are spread over the nodes")
}

// partitioned reports whether sources are in several parts.
func (k keys) partitioned() bool { return len(k.parts) > 1 }

// of is the part of a source. All sources of a host are in one, where the turns at that host are taken; one that has
// moved to another host stays where it was, and takes turns among those that are with it.
func (k keys) of(feedURL string) part {
	if !k.partitioned() {
		return k.parts[0]
	}
	return k.ofHost(feed.Host(feedURL))
}

// ofHost is the part of the sources of a host, by its name as feed.Host has it.
func (k keys) ofHost(host string) part {
	sum := sha256.Sum256([]byte(host))
	return k.parts[int(sum[0])%len(k.parts)]
}

// activities are the places where a minute is counted.
func (k keys) activities(at time.Time) []string {
	all := []string{k.activity(at)}
	if k.partitioned() {
		for _, p := range k.parts {
			all = append(all, p.activity(at))
		}
	}
	return all
}

// guard is a key that never is, in the slot of another one. In a cluster each script names it with its own: while their slot
// moves from one node to another a call that names a key that neither has is refused and tried again, and so no script ever
// sees a part of them.
func (k keys) guard(key string) string {
	if !k.partitioned() {
		return k.prefix + "guard"
	}
	return key[:len(k.prefix)+strings.IndexByte(key[len(k.prefix):], '}')+1] + "guard"
}

// field names the part in a hash.
func (p part) field() string { return strconv.Itoa(p.number) }

func (p part) entryIDs() string              { return p.prefix + "ids:Entry" }
func (p part) entry(id string) string        { return p.prefix + id } // id is "Entry:5"
func (p part) sort(feedURL string) string    { return p.prefix + feedURL + ":sort" }
func (p part) guidmap(feedURL string) string { return p.prefix + feedURL + ":guidmap" }
func (p part) dead(feedURL string) string    { return p.prefix + feedURL + ":dead" }
func (p part) alias(feedURL string) string   { return p.prefix + feedURL + ":alias" }
func (p part) meta(feedURL string) string    { return p.prefix + feedURL + ":meta" }
func (p part) polls(feedURL string) string   { return p.prefix + feedURL + ":polls" }
func (p part) feeds() string                 { return p.prefix + "feeds" }
func (p part) due() string                   { return p.prefix + "sched:due" }
func (p part) unwell() string                { return p.prefix + "sched:unwell" }
func (p part) lease() string                 { return p.prefix + "sched:lease" }
func (p part) added() string                 { return p.prefix + "sched:added" }
func (p part) host(host string) string       { return p.prefix + "host:" + host }
func (p part) push(feedURL string) string    { return p.prefix + feedURL + ":push" }
func (p part) leaving(token string) string   { return p.prefix + "push:leaving:" + token }
func (p part) pushTokens() string            { return p.prefix + "push:tokens" }
func (p part) pushDue() string               { return p.prefix + "push:due" }
func (p part) signals() string               { return p.prefix + "signals" } // its outbox
func (p part) activity(at time.Time) string  { return activity(p.prefix, at) }

func (k keys) signals() string            { return k.wire + "signals" } // those that everybody reads
func (k keys) gathered() string           { return k.wire + "signals:gathered" }
func (k keys) hub(name string) string     { return k.wire + "hub:" + name } // of those there is one of
func (k keys) asking(owner string) string { return k.wire + "hub:asking:" + owner }
func (k keys) topic(id string) string     { return k.wire + "hub:topic:" + id }
func (k keys) subs(topicID string) string { return k.wire + "hub:topic:" + topicID + ":subs" }

func (k keys) article(uuid string) string   { return k.desk + "article:" + uuid }
func (k keys) content(uuid string) string   { return k.desk + "article:" + uuid + ":content" }
func (k keys) articles() string             { return k.desk + "articles" }
func (k keys) versions(uuid string) string  { return k.desk + "article:" + uuid + ":versions" }
func (k keys) deeds(uuid string) string     { return k.desk + "article:" + uuid + ":deeds" }
func (k keys) undo(id string) string        { return k.desk + "undo:" + id }
func (k keys) version(typ string) string    { return k.desk + "version:" + typ }
func (k keys) fetch(typ, id string) string  { return k.desk + "fetch:" + typ + ":" + id }
func (k keys) request(id string) string     { return k.desk + "request:" + id }
func (k keys) answer(id string) string      { return k.desk + "answer:" + id }
func (k keys) job(id string) string         { return k.desk + "job:" + id }
func (k keys) results(id string) string     { return k.desk + "job:" + id + ":results" }
func (k keys) work(id string) string        { return k.desk + "job:" + id + ":work" }
func (k keys) jobs() string                 { return k.desk + "jobs" }
func (k keys) accounts() string             { return k.desk + "accounts" }
func (k keys) account(name string) string   { return k.desk + "account:" + name }
func (k keys) sessions(name string) string  { return k.desk + "account:" + name + ":sessions" }
func (k keys) known(name string) string     { return k.desk + "account:" + name + ":known" }
func (k keys) session(sum string) string    { return k.desk + "session:" + sum }
func (k keys) link(sum string) string       { return k.desk + "link:" + sum }
func (k keys) attempts(whose string) string { return k.desk + "attempts:" + whose }
func (k keys) tokens() string               { return k.desk + "tokens" }
func (k keys) tokensUsed() string           { return k.desk + "tokens:used" }
func (k keys) visits(typ string) string     { return k.desk + "visits:" + typ }
func (k keys) removed(id string) string     { return k.desk + "removed:" + id }
func (k keys) audit() string                { return k.desk + "audit" }
func (k keys) schema() string               { return k.desk + "schema" }
func (k keys) installation() string         { return k.desk + "installation" }
func (k keys) ready() string                { return k.desk + "ready" }
func (k keys) closed() string               { return k.desk + "closed" }
func (k keys) activity(at time.Time) string { return activity(k.desk, at) }
func (k keys) impressions(uuid, t string) string {
	return k.desk + "article:" + uuid + ":impressions:" + t
}

// activity is where the minute at a time is counted: at the desk what people and consumers do, in each part what its
// sources do.
func activity(prefix string, at time.Time) string {
	return prefix + "activity:" + strconv.FormatInt(at.Unix()/60, 10)
}

// hosts is where a host's subscriptions are counted, and under which name: hashes of few fields take little memory.
func (k keys) hosts(host string) (key, field string) {
	return k.wire + "hub:hosts:" + host[:2], host[2:]
}

// document is the document of a source as it came.
func (k keys) document(topicID string) string { return k.wire + "hub:document:" + topicID }

// bodies is what the keys of a topic's versions begin with.
func (k keys) bodies(topicID string) string { return k.wire + "hub:body:" + topicID + ":" }

// body is one version of a topic.
func (k keys) body(topicID string, version int64) string {
	return k.bodies(topicID) + strconv.FormatInt(version, 10)
}

// placed is the sorted set of the articles in one state; known articles have none.
func (k keys) placed(state feed.State, typ string) string {
	return k.desk + string(state) + "_" + typ
}

// placement lists the keys a script needs to move an article in one outgoing feed.
func (k keys) placement(uuid, typ string) []any {
	return []any{
		k.article(uuid), k.articles(), k.version(typ), k.impressions(uuid, typ),
		k.placed(feed.StatePublished, typ), k.placed(feed.StateImported, typ),
		k.placed(feed.StateExpired, typ), k.placed(feed.StateTakenBack, typ),
	}
}
