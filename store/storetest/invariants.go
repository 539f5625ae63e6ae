package storetest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// TB is what these checks need of testing.TB; *rapid.T has it too.
type TB interface {
	Helper()
	Cleanup(f func())
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Check looks at every key of an store without prefix and reports what breaks the layout that package store documents:
// indexes that disagree with their entries, articles in impossible states, lists of impressions that are too long.
func Check(tb TB, dial core.DialFunc, types []string, retireAfter int) {
	tb.Helper()
	Commands(tb, dial).Check(types, retireAfter)
}

// Check is the function Check for the keys with the prefix of these commands.
func (c *Redigo) Check(types []string, retireAfter int) {
	tb := c.tb
	tb.Helper()
	all, sources := c, func(string) *Redigo { return c }
	if c.home == "" {
		checkSources(tb, c)
	} else {
		checkShards(tb, c)
		sources = func(url string) *Redigo { return all.at(ShardTag(url)) }
		c = c.at("{desk}")
	}
	uuids := c.Strings("ZRANGE", "articles", 0, -1)
	hashes := make([]string, len(uuids))
	for i, uuid := range uuids {
		hashes[i] = "article:" + uuid
	}
	for i, a := range c.stringMaps(hashes) {
		uuid := uuids[i]
		if len(a) == 0 {
			tb.Errorf("article %s is listed and has no hash", uuid)
		}
		if in := sources(a["feed_url"]); in.Do("ZSCORE", a["feed_url"]+":takedowns", a["guid"]) != nil {
			tb.Errorf("article %s is of an entry that was taken down", uuid)
		}
		checkInbox(tb, c, uuid, a)
	}
	listed := c.Int("ZCARD", "inbox") + c.Int("ZCARD", "dismissed")
	if all := c.Int("ZCARD", "articles"); listed > all { // counted last: a daemon may still add articles
		tb.Errorf("%d articles are in the inbox or dismissed, and there are %d", listed, all)
	}
	for _, typ := range types {
		checkType(tb, c, typ, retireAfter)
	}
	checkAccounts(tb, c)
	checkTimelines(tb, all, sources)
	checkVotes(tb, c)
	checkNews(tb, c)
}

// checkInbox looks whether an article is in the inbox, dismissed, or in a state that somebody decided about: exactly one of them.
func checkInbox(tb TB, c *Redigo, uuid string, a map[string]string) {
	tb.Helper()
	var in []string
	for _, set := range []string{"inbox", "dismissed"} {
		if c.Do("ZSCORE", set, uuid) != nil {
			in = append(in, set)
		}
	}
	decided := false
	for field := range a {
		typ, ok := strings.CutPrefix(field, "revision_")
		for _, state := range feed.States()[1:] {
			decided = decided || ok && c.Do("ZSCORE", string(state)+"_"+typ, uuid) != nil
		}
	}
	if decided {
		in = append(in, "a feed")
	}
	if len(in) != 1 {
		tb.Errorf("article %s is in %v, want exactly one of the inbox, the dismissed articles and a feed", uuid, in)
	}
}

// checkAccounts looks at the accounts and their names.
func checkAccounts(tb TB, c *Redigo) {
	tb.Helper()
	const byName = "username.to.id:"
	ids := make(map[string]string) // by name
	for _, key := range c.Keys(byName + "*") {
		name := key[strings.Index(key, byName)+len(byName):]
		ids[name] = fmt.Sprintf("%s", c.Do("GET", byName+name))
		if a := c.StringMap("HGETALL", "user:"+ids[name]); a["username"] != name || a["id"] != ids[name] {
			tb.Errorf("the name %s leads to account %s, which is %v", name, ids[name], a)
		}
	}
	if indexed := c.Strings("ZRANGE", "users.names", 0, -1); len(indexed) > 0 && !slices.Equal(indexed, slices.Sorted(maps.Keys(ids))) {
		tb.Errorf("the accounts are %v, and by name %v", slices.Sorted(maps.Keys(ids)), indexed)
	}
	for _, list := range []string{"staff", "members"} {
		for _, id := range c.Strings("SMEMBERS", list) {
			a := c.StringMap("HGETALL", "user:"+id)
			staff := strings.ContainsAny(a["flags"], "vea")
			if ids[a["username"]] != id || staff != (list == "staff") {
				tb.Errorf("account %s of %s has no name or another role: %v", id, list, a)
			}
		}
	}
}

// checkTimelines looks at what users follow, and at the caches of their timelines.
func checkTimelines(tb TB, c *Redigo, sources func(url string) *Redigo) {
	tb.Helper()
	for _, key := range c.Keys("user.follows:*") {
		user := strings.TrimPrefix(key, "user.follows:")
		for _, url := range c.Strings("HKEYS", key) {
			if sources(url).Do("ZSCORE", url+":followers", user) == nil {
				tb.Errorf("user %s follows %s, which does not have them among its followers", user, url)
			}
		}
	}
	for pattern, most := range map[string]int{"user.read:*": feed.MaxRead, "user.keepunread:*": feed.MaxKeptUnread, "user.saved:*": feed.MaxSaved} {
		for _, key := range c.Keys(pattern) {
			if n := c.Int("ZCARD", key); n > most {
				tb.Errorf("%s has %d entries", key, n)
			}
		}
	}
	for _, key := range c.Keys("user.posted:*") {
		for _, number := range c.Strings("ZRANGE", key, 0, -1) {
			if c.Do("ZSCORE", "posts.removed", number) != nil {
				tb.Errorf("%s has post %s, which was taken down", key, number)
			}
		}
	}
	for _, key := range c.Keys("feed:user:*") {
		if ttl := c.Int("TTL", key); ttl == -1 {
			tb.Errorf("%s does not expire", key)
		}
		if typ := c.Do("TYPE", key); typ == "zset" && c.Int("ZCARD", key) > 500 {
			tb.Errorf("%s has %d entries", key, c.Int("ZCARD", key))
		}
	}
}

// checkSources looks at the sources of one part, or at all where there are none, and returns the ids of their entries.
func checkSources(tb TB, c *Redigo) (ids []string) {
	tb.Helper()
	urls := c.Strings("HVALS", "feeds")
	for _, url := range urls {
		checkSource(tb, c, url)
		ids = append(ids, c.Strings("ZRANGE", url+":sort", 0, -1)...)
	}
	checkUnwell(tb, c, urls)
	return ids
}

// checkShards looks at all parts: sources are where their host says, and entries have ids of their own.
func checkShards(tb TB, c *Redigo) {
	tb.Helper()
	owners := make(map[string]string)
	for _, tag := range c.tags() {
		in := c.at(tag)
		for _, id := range checkSources(tb, in) {
			if owners[id] != "" {
				tb.Errorf("%s is in %s and in %s", id, owners[id], tag)
			}
			owners[id] = tag
		}
		for _, url := range in.Strings("HVALS", "feeds") {
			if want := ShardTag(url); want != tag {
				tb.Errorf("source %s is in %s, and belongs into %s", url, tag, want)
			}
		}
	}
}

func checkSource(tb TB, c *Redigo, url string) {
	tb.Helper()
	guids := c.StringMap("HGETALL", url+":guidmap")
	members := c.Strings("ZRANGE", url+":sort", 0, -1, "WITHSCORES")
	named := make(map[string]bool) // "alias id" of all entries
	var ids []string
	for i := 0; i+1 < len(members); i += 2 {
		ids = append(ids, members[i])
	}
	listed := make(map[string]bool, len(ids))
	for _, id := range ids {
		listed[id] = true
	}
	for _, id := range guids {
		if !listed[id] && c.Do("HGET", id, "hidden") == nil {
			tb.Errorf("%s: %s is not in :sort", url, id)
		}
	}
	if len(ids) > len(guids) {
		tb.Errorf("%s: %d entries in :sort, %d in :guidmap", url, len(ids), len(guids))
	}
	for i, e := range c.stringMaps(ids) {
		id, score := ids[i], members[2*i+1]
		switch {
		case e["feed_url"] != url || e["guid"] == "" || e["timestamp"] == "":
			tb.Errorf("%s: %s lacks a required field: %v", url, id, e)
		case e["hidden"] != "":
			tb.Errorf("%s: %s is hidden, and in :sort", url, id)
		case e["timestamp"] != score:
			tb.Errorf("%s: %s has timestamp %s and score %s", url, id, e["timestamp"], score)
		case guids[e["guid"]] != id:
			tb.Errorf("%s: guid %q leads to %q, not to %s", url, e["guid"], guids[e["guid"]], id)
		}
		for alias := range strings.FieldsSeq(e["aliases"]) {
			named[alias+" "+id] = true
		}
	}
	checkTakedowns(tb, c, url, guids)
	for alias, id := range c.StringMap("HGETALL", url+":alias") {
		if id != "" && !named[alias+" "+id] {
			tb.Errorf("%s: alias %s leads to %s, which does not have it", url, alias, id)
		}
	}
}

// checkTakedowns looks at the tombstones of entries that were taken down. guids are those of the stored entries.
func checkTakedowns(tb TB, c *Redigo, url string, guids map[string]string) {
	tb.Helper()
	names := c.Strings("ZRANGE", url+":takedowns", 0, -1)
	for _, name := range names {
		if id := guids[name]; id != "" {
			tb.Errorf("%s: %s has the guid %q, which was taken down", url, id, name)
		}
		if id := c.Do("HGET", url+":alias", name); id != nil && fmt.Sprintf("%s", id) != "" {
			tb.Errorf("%s: %s has the alias %s, which was taken down", url, id, name)
		}
	}
	if deleted := c.Int("ZCARD", url+":deleted"); len(names) > 10_000 || deleted > 100 {
		tb.Errorf("%s: %d names and %d guids of entries that were taken down", url, len(names), deleted)
	}
	if ttl := c.Int("TTL", url+":takedowns"); ttl >= 0 {
		tb.Errorf("%s: the takedowns of a source that was not removed expire in %d s", url, ttl)
	}
}

// checkUnwell compares sched:unwell with what the sources say of themselves.
func checkUnwell(tb TB, c *Redigo, urls []string) {
	tb.Helper()
	want := make(map[string]string)
	metas := make([]string, len(urls))
	for i, url := range urls {
		metas[i] = url + ":meta"
	}
	for i, is := range c.stringMaps(metas) {
		url := urls[i]
		switch {
		case is["paused"] == "1":
			want[url] = "-1"
		case is["gone"] == "1":
			want[url] = "1000000"
		case is["error_class"] != "":
			want[url] = cmp.Or(is["errors"], "0")
		}
	}
	places := c.Strings("ZRANGE", "sched:unwell", 0, -1, "WITHSCORES")
	got := make(map[string]string)
	for i := 0; i+1 < len(places); i += 2 {
		got[places[i]] = places[i+1]
	}
	if !maps.Equal(got, want) {
		tb.Errorf("sched:unwell holds %v, the sources say %v", got, want)
	}
}

func checkType(tb TB, c *Redigo, typ string, retireAfter int) {
	tb.Helper()
	in := make(map[string][]string)
	for _, state := range feed.States()[1:] {
		for _, uuid := range c.Strings("ZRANGE", string(state)+"_"+typ, 0, -1) {
			if state != feed.StateImported { // stays there as the last import
				in[uuid] = append(in[uuid], string(state))
			}
			if c.Int("EXISTS", "article:"+uuid) != 1 {
				tb.Errorf("%s article %s of %s has no hash", state, uuid, typ)
			}
		}
	}
	for uuid, states := range in {
		if len(states) > 1 {
			tb.Errorf("article %s is %s in %s at once", uuid, strings.Join(states, " and "), typ)
		}
		if n := c.Int("LLEN", "article:"+uuid+":impressions:"+typ); states[0] == "published" && n >= retireAfter {
			tb.Errorf("article %s has %d impressions and is still published in %s", uuid, n, typ)
		}
	}
	for _, uuid := range c.Strings("ZRANGE", "imported_"+typ, 0, -1) {
		n := c.Int("LLEN", "article:"+uuid+":impressions:"+typ)
		if _, elsewhere := in[uuid]; !elsewhere && n != retireAfter {
			tb.Errorf("article %s was imported in %s with %d impressions", uuid, typ, n)
		}
	}
}
