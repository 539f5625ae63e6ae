package storetest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// checkMembers compares the lists of members with the submissions, comments and votes that they name, and looks at what expires. A list may
// name a submission that was deleted with its thread.
func checkMembers(tb TB, c *Redigo) {
	tb.Helper()
	for _, key := range c.Keys("voted.news:*") {
		id := strings.TrimPrefix(key, "voted.news:")
		for _, n := range c.Strings("ZRANGE", key, 0, -1) {
			voted := c.Do("ZSCORE", "news.up:"+n, id) != nil || c.Do("ZSCORE", "news.down:"+n, id) != nil
			if !voted && c.Int("EXISTS", "news:"+n) == 1 {
				tb.Errorf("%s has submission %s, which has no such vote", key, n)
			}
		}
	}
	checkComments(tb, c)
	for _, key := range c.Keys("user:*") {
		if strings.Count(key, ":") > 1 {
			continue
		}
		for _, field := range []string{"karma", "replies"} {
			if text, _ := c.Do("HGET", key, field).([]byte); text != nil {
				if n, err := strconv.Atoi(string(text)); err != nil || n < 0 {
					tb.Errorf("%s has %s %s", key, text, field)
				}
			}
		}
	}
	checkURLs(tb, c)
	for pattern, most := range map[string]float64{
		"url:*": feed.NewsRepost.Seconds(), "user:*:submitted_recently": feed.NewsBreak.Seconds(), "limit:create_user:*": 15 * 3600,
		"reports:*": feed.ReportsStored.Seconds(), "user.reports:*": feed.ReportsStored.Seconds(),
	} {
		for _, key := range c.Keys(pattern) {
			if ttl := c.Int("TTL", key); ttl < 0 || float64(ttl) > most {
				tb.Errorf("%s has a TTL of %d, want at most %v", key, ttl, most)
			}
		}
	}
}

// checkURLs compares the URLs that were submitted lately with their submissions.
func checkURLs(tb TB, c *Redigo) {
	tb.Helper()
	for _, key := range c.Keys("url:*") {
		n, _ := c.Do("GET", key).([]byte)
		if news := c.StringMap("HGETALL", "news:"+string(n)); news["url"] != strings.TrimPrefix(key, "url:") || news["del"] != "" {
			tb.Errorf("%s leads to %s, which is %v", key, n, news)
		}
	}
}

// checkComments compares the comments of members, and their votes on others, with the threads.
func checkComments(tb TB, c *Redigo) {
	tb.Helper()
	for _, family := range []string{"user.comments:", "voted.comments:"} {
		for _, key := range c.Keys(family + "*") {
			id, _ := strconv.ParseInt(strings.TrimPrefix(key, family), 10, 64)
			for _, member := range c.Strings("ZRANGE", key, 0, -1) {
				n, field, _ := strings.Cut(member, "-")
				text, _ := c.Do("HGET", "thread:comment:"+n, field).([]byte)
				var comment struct {
					UserID   int64   `json:"user_id"`
					Up, Down []int64 // of json
				}
				if text == nil && c.Int("EXISTS", "thread:comment:"+n) == 0 {
					continue
				}
				_ = json.Unmarshal(text, &comment) // checkThread reports what is no comment
				if wrote := comment.UserID == id; family == "user.comments:" && !wrote ||
					family == "voted.comments:" && !slices.Contains(slices.Concat(comment.Up, comment.Down), id) {
					tb.Errorf("%s has %s, which is %s", key, member, text)
				}
			}
		}
	}
}
