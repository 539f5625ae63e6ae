package storetest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// checkVotes looks at votes, groups and their lists, with the default weight of a vote.
func checkVotes(tb TB, c *Redigo) {
	tb.Helper()
	const day = 24 * 3600
	articles := c.Strings("ZRANGE", "time:", 0, -1)
	if count, _ := c.Do("GET", "article:").([]byte); string(count) != strconv.Itoa(len(articles)) && (count != nil || len(articles) > 0) {
		tb.Errorf("article: counts %s articles of %d", count, len(articles))
	}
	scores := c.StringMap("ZRANGE", "score:", 0, -1, "WITHSCORES")
	if len(scores) != len(articles) {
		tb.Errorf("%d articles by time, %d by score", len(articles), len(scores))
	}
	for _, article := range articles {
		n, a := strings.TrimPrefix(article, "article:"), c.StringMap("HGETALL", article)
		time, _ := strconv.ParseFloat(a["time"], 64)
		votes, _ := strconv.Atoi(a["votes"])
		score, err := strconv.ParseFloat(scores[article], 64)
		if err != nil || a["del"] != "" || score != time+feed.VoteWeight*float64(votes) {
			tb.Errorf("%s has the score %s, and is %v", article, scores[article], a)
		}
		up, down := c.Strings("SMEMBERS", "upvoted:"+n), c.Strings("SMEMBERS", "downvoted:"+n)
		open := false
		for _, key := range []string{"upvoted:" + n, "downvoted:" + n, "anonymous:" + n} {
			ttl := c.Int("TTL", key)
			open = open || ttl > day
			if ttl == -1 || ttl > day+int(feed.VoteWindow.Seconds()) {
				tb.Errorf("%s has a TTL of %d", key, ttl)
			}
		}
		if open && votes != len(up)-len(down) {
			tb.Errorf("%s has %d votes, %d up and %d down", article, votes, len(up), len(down))
		}
		if counted, _ := strconv.Atoi(a["up"]); open && counted != len(up) {
			tb.Errorf("%s counts %d upvotes of %d", article, counted, len(up))
		}
		guests := 0
		for _, vote := range c.StringMap("HGETALL", "anonymous:"+n) {
			guests += map[string]int{"up": 1, "down": -1}[vote]
		}
		if count, _ := strconv.Atoi(a["anonymous"]); open && count != guests {
			tb.Errorf("%s counts %d votes without an account, there are %d", article, count, guests)
		}
		for _, user := range slices.Concat(up, down) {
			if slices.Contains(up, user) && slices.Contains(down, user) {
				tb.Errorf("%s voted twice on %s", user, article)
			}
			if voted := "voted:" + strings.TrimPrefix(user, "user:"); c.Do("ZSCORE", voted, article) == nil {
				tb.Errorf("%s does not have %s", voted, article)
			}
		}
	}
	checkGroups(tb, c, articles)
	checkArranged(tb, c, articles)
	for _, ranking := range feed.Rankings() {
		for _, article := range c.Strings("ZRANGE", "rank:"+ranking.Name, 0, -1) {
			if scores[article] == "" {
				tb.Errorf("%s has %s, which is no article", ranking.Name, article)
			}
		}
	}
}

// checkArranged looks at the lists that editors arrange.
func checkArranged(tb TB, c *Redigo, articles []string) {
	tb.Helper()
	members := make(map[string][]string)
	for _, list := range c.Strings("SMEMBERS", "lists") {
		order := "list:" + list + ":order"
		members[list] = c.Strings("ZRANGE", order, 0, -1)
		places := make(map[string]bool)
		for _, score := range c.StringMap("ZRANGE", order, 0, -1, "WITHSCORES") {
			places[score] = true
		}
		if len(places) != len(members[list]) || c.Int("HEXISTS", "list:"+list, "version") != 1 || c.Int("SISMEMBER", "groups", list) == 1 {
			tb.Errorf("list %s has %d entries at %d places, and is %v", list, len(members[list]), len(places), c.StringMap("HGETALL", "list:"+list))
		}
		for _, article := range members[list] {
			if names, _ := c.Do("HGET", article, "lists").([]byte); !slices.Contains(strings.Split(string(names), ","), list) {
				tb.Errorf("%s of list %s names the lists %s", article, list, names)
			}
		}
	}
	for _, article := range articles {
		names, _ := c.Do("HGET", article, "lists").([]byte)
		for _, list := range strings.FieldsFunc(string(names), func(r rune) bool { return r == ',' }) {
			if !slices.Contains(members[list], article) {
				tb.Errorf("%s names list %s, which does not have it", article, list)
			}
		}
	}
}

// checkGroups looks at the groups of articles.
func checkGroups(tb TB, c *Redigo, articles []string) {
	tb.Helper()
	groups := c.Strings("SMEMBERS", "groups")
	members := make(map[string][]string)
	for _, group := range groups {
		members[group] = c.Strings("SMEMBERS", "group:"+group)
		for _, article := range members[group] {
			if names, _ := c.Do("HGET", article, "groups").([]byte); !slices.Contains(strings.Split(string(names), ","), group) {
				tb.Errorf("%s of group %s has the groups %s", article, group, names)
			}
		}
		order := c.Strings("ZRANGE", "score:"+group, 0, -1)
		slices.Sort(order)
		slices.Sort(members[group])
		if len(order) > 0 && !slices.Equal(order, members[group]) {
			tb.Errorf("the members of group %s are %v, in its order are %v", group, members[group], order)
		}
	}
	for _, article := range articles {
		names := func(field string) []string {
			text, _ := c.Do("HGET", article, field).([]byte)
			return strings.FieldsFunc(string(text), func(r rune) bool { return r == ',' })
		}
		for _, group := range slices.Concat(names("groups"), names("by_rule")) {
			if !slices.Contains(members[group], article) {
				tb.Errorf("%s names group %s, which does not have it", article, group)
			}
		}
		for _, group := range names("not_by_rule") {
			if slices.Contains(members[group], article) {
				tb.Errorf("group %s has %s, which was removed from it", group, article)
			}
		}
	}
}
