package storetest

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// checkNews looks at submissions, their votes and their lists.
func checkNews(tb TB, c *Redigo) {
	tb.Helper()
	checkReports(tb, c)
	checkMembers(tb, c)
	latest, top := c.StringMap("ZRANGE", "news.cron", 0, -1, "WITHSCORES"), c.StringMap("ZRANGE", "news.top", 0, -1, "WITHSCORES")
	if len(latest) != len(top) {
		tb.Errorf("%d submissions by time, %d by rank", len(latest), len(top))
	}
	unlisted := c.StringMap("ZRANGE", "news.unlisted", 0, -1, "WITHSCORES")
	for n := range unlisted {
		if c.Int("EXISTS", "news:"+n) == 0 {
			tb.Errorf("submission %s is in news.unlisted and has no hash", n)
		}
	}
	for n := range latest {
		if c.Int("EXISTS", "news:"+n) == 0 {
			tb.Errorf("submission %s is listed and has no hash", n)
		}
	}
	for _, key := range c.Keys("news:*") {
		n := strings.TrimPrefix(key, "news:")
		news := c.StringMap("HGETALL", key)
		up, down := c.Strings("ZRANGE", "news.up:"+n, 0, -1), c.Strings("ZRANGE", "news.down:"+n, 0, -1)
		if news["up"] != strconv.Itoa(len(up)) || news["down"] != strconv.Itoa(len(down)) {
			tb.Errorf("%s counts %s votes up and %s down, there are %d and %d", key, news["up"], news["down"], len(up), len(down))
		}
		for _, id := range slices.Concat(up, down) {
			if slices.Contains(up, id) && slices.Contains(down, id) {
				tb.Errorf("user %s voted twice on %s", id, key)
			}
			if c.Do("ZSCORE", "voted.news:"+id, n) == nil {
				tb.Errorf("voted.news:%s does not have %s", id, n)
			}
		}
		checkThread(tb, c, n, news["comments"])
		if ends := news["del"] != "" && news["source"] != "" || news["del"] == "" && (news["state"] == "removed" || news["held"] != ""); ends != (unlisted[n] != "") {
			tb.Errorf("%s is in news.unlisted: %t; it is %v", key, unlisted[n] != "", news)
		}
		if waits := c.Do("ZSCORE", "news.held", n) != nil; waits != (news["state"] == "held" && news["del"] == "") {
			tb.Errorf("%s is in news.held: %v, and is %v", key, waits, news)
		}
		if news["del"] != "" || news["state"] == "removed" || news["held"] != "" {
			if latest[n] != "" || top[n] != "" {
				tb.Errorf("%s is deleted, removed or held, and listed", key)
			}
			continue
		}
		rank, _ := strconv.ParseFloat(top[n], 64)
		stored, _ := strconv.ParseFloat(news["rank"], 64)
		at, _ := strconv.ParseFloat(latest[n], 64)
		if posted, _ := strconv.ParseFloat(news["ctime"], 64); posted != at || rank != stored {
			tb.Errorf("%s is listed at %v with the rank %v, and is %v", key, at, rank, news)
		}
		score, volume := float64(len(up)-len(down)), len(up)/2+len(down)/2
		if volume > 10 {
			score += 2 * math.Log(float64(volume-10))
		}
		if got, _ := strconv.ParseFloat(news["score"], 64); math.Abs(got-score) > 1e-9 {
			tb.Errorf("%s has the score %v, want %v", key, got, score)
		}
		checkArticleVotes(tb, c, n, up, down)
	}
}

// checkReports compares the reports of members with those of objects.
func checkReports(tb TB, c *Redigo) {
	tb.Helper()
	for _, object := range c.Strings("ZRANGE", "reports", 0, -1) {
		for id := range c.StringMap("HGETALL", "reports:"+object) {
			if c.Do("ZSCORE", "user.reports:"+id, object) == nil {
				tb.Errorf("user.reports:%s does not have %s", id, object)
			}
		}
	}
}

// checkArticleVotes compares the votes on a submission with those on its article, if voting is open.
func checkArticleVotes(tb TB, c *Redigo, n string, up, down []string) {
	tb.Helper()
	const day = 24 * 3600
	for key, want := range map[string][]string{"upvoted:" + n: up, "downvoted:" + n: down} {
		ttl := c.Int("TTL", key)
		if ttl <= day && (ttl >= 0 || len(want) == 0 || c.Do("ZSCORE", "time:", "article:"+n) == nil) {
			continue // the sets may have expired
		}
		got := c.Strings("SMEMBERS", key)
		for i := range got {
			got[i] = strings.TrimPrefix(got[i], "user:")
		}
		slices.Sort(got)
		want = slices.Sorted(slices.Values(want))
		if !slices.Equal(got, want) {
			tb.Errorf("%s has %v, the submission has %v", key, got, want)
		}
	}
	if voted := c.StringMap("HGETALL", "article:"+n)["news"]; voted != "1" && c.Do("ZSCORE", "time:", "article:"+n) != nil {
		tb.Errorf("article:%s is not marked as a submission", n)
	}
}

// checkThread looks at the comments on a submission.
func checkThread(tb TB, c *Redigo, n, count string) {
	tb.Helper()
	live, next, thread := 0, 0, c.StringMap("HGETALL", "thread:comment:"+n)
	hidden := make(map[string]int) // comments by the field of the submission that counts them
	for field, text := range thread {
		var comment struct {
			UserID   int64   `json:"user_id"`
			ParentID int64   `json:"parent_id"`
			Up, Down []int64 // of json
			Deleted  int     `json:"del"`
			State    string
		}
		if field == "nextid" {
			next, _ = strconv.Atoi(text)
			continue
		}
		if err := json.Unmarshal([]byte(text), &comment); err != nil {
			tb.Errorf("comment %s-%s is %s: %v", n, field, text, err)
		}
		if comment.Deleted == 0 && comment.State == "" {
			live++
		}
		if comment.Deleted == 0 && comment.State == "hidden" && comment.UserID != 0 {
			hidden["hidden:"+strconv.FormatInt(comment.UserID, 10)]++
		}
		if parent := strconv.FormatInt(comment.ParentID, 10); comment.ParentID != feed.NoParent && thread[parent] == "" {
			tb.Errorf("comment %s-%s replies to %s, which is not there", n, field, parent)
		}
		if member := n + "-" + field; comment.UserID != 0 && c.Do("ZSCORE", "user.comments:"+strconv.FormatInt(comment.UserID, 10), member) == nil {
			tb.Errorf("user.comments:%d does not have %s", comment.UserID, member)
		}
		for i, id := range slices.Concat(comment.Up, comment.Down) {
			if slices.Contains(slices.Concat(comment.Up, comment.Down)[:i], id) {
				tb.Errorf("user %d voted twice on comment %s-%s", id, n, field)
			}
			if voted := "voted.comments:" + strconv.FormatInt(id, 10); id != comment.UserID && c.Do("ZSCORE", voted, n+"-"+field) == nil {
				tb.Errorf("%s does not have %s-%s", voted, n, field)
			}
		}
	}
	if count != strconv.Itoa(live) {
		tb.Errorf("news:%s counts %s comments, there are %d", n, count, live)
	}
	for field, count := range c.StringMap("HGETALL", "news:"+n) {
		if strings.HasPrefix(field, "hidden:") && count != strconv.Itoa(hidden[field]) {
			tb.Errorf("%s of news:%s is %s, there are %d", field, n, count, hidden[field])
		}
		delete(hidden, field)
	}
	if len(hidden) > 0 {
		tb.Errorf("news:%s does not count %v", n, hidden)
	}
	if length := c.Int("HLEN", "thread:comment:"+n); length > 0 && length-1 != next {
		tb.Errorf("the thread of %s has %d comments, the last is %d", n, length-1, next)
	}
}
