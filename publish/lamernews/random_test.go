package lamernews_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

var (
	randomCalls = flag.Int("calls", 250, "how many calls TestRandomCallsKeepTheInvariants sends")
	randomSeed  = flag.Uint64("seed", 3, "begins the random calls")
)

// caller sends random calls of members, an admin, a program with a token, and a stranger.
type caller struct {
	*site
	*rand.Rand
	clients []*client
	spent   int            // karma, on downvotes
	done    map[string]int // how often each call succeeded
}

func (c *caller) any(values ...string) string { return values[c.IntN(len(values))] }

// number returns the number of a submission or comment that may exist, or no number.
func (c *caller) number() string {
	if c.IntN(10) > 0 {
		return strconv.Itoa(1 + c.IntN(c.IntN(12)+1)) // the lower, the more often
	}
	return c.any("-1", "0", "-2", "999", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "", "x", "1e3", "nextid")
}

// place returns a number in a path.
func (c *caller) place() string { return cmp.Or(c.number(), "0") }

// text returns a text, which may be refused.
func (c *caller) text() string {
	if c.IntN(3) > 0 {
		return c.any("A harbour", "cranes & <b>quays</b>", `{"del": 1}`, "-1")
	}
	return c.any("ä\u202e", " two\r\nlines ", "", " ", "\u200b", "\x00", "\xff", strings.Repeat("x", 201), strings.Repeat("x", feed.MaxComment+1))
}

// link returns a URL, which may be refused.
func (c *caller) link() string {
	if c.IntN(4) > 0 {
		return fmt.Sprint("https://a.example/", c.IntN(100))
	}
	return c.any("", " https://a.example/1 ", "ftp://a.example/", "javascript:alert(1)", "https://", "text://x", "https://a.example/"+strings.Repeat("x", 3000))
}

// call returns a random call. Most have the parameters that they need.
func (c *caller) call() (method, path string, pairs []string) {
	way := c.any("up", "up", "up", "down", "down", "none", "")
	switch n := c.IntN(100); {
	case n < 25:
		return "POST", "votenews", []string{"news_id", c.number(), "vote_type", way}
	case n < 42:
		return "POST", "votecomment", []string{"comment_id", c.number() + c.any("-", "-", "-", "") + c.number(), "vote_type", way}
	case n < 58:
		return "POST", "postcomment", []string{"news_id", c.number(), "comment_id", "-1", "parent_id", c.any("-1", c.number()), "comment", c.text()}
	case n < 66:
		return "POST", "postcomment", []string{"news_id", c.number(), "comment_id", c.number(), "parent_id", "-1", "comment", c.any("", c.text())}
	case n < 80:
		return "POST", "submit", []string{"news_id", "-1", "title", c.text(), "url", c.link(), "text", c.any("", c.text())}
	case n < 86:
		return "POST", "submit", []string{"news_id", c.number(), "title", c.text(), "url", c.link(), "text", c.any("", c.text())}
	case n < 91:
		return "POST", "delnews", []string{"news_id", c.number()}
	case n < 93:
		return "POST", "updateprofile", []string{"about", c.text(), "email", c.any("", "x@example.org", c.text()), "password", c.any("", "", "short")}
	case n < 94:
		return "POST", c.any("login", "create_account"), []string{"username", c.any("m1", "nobody", c.text()), "password", c.any("not the password", c.text())}
	case n < 97:
		return "GET", fmt.Sprintf("getnews/%s/%s/%s", c.any("latest", "top", "best"), c.place(), c.place()), nil
	}
	return "GET", "getcomments/" + c.place(), nil
}

// step sends a random call, whose secret may be wrong.
func (c *caller) step() {
	c.t.Helper()
	by, wrong := *c.clients[c.IntN(len(c.clients))], c.IntN(10) == 0
	if by.secret != "" && wrong {
		by.secret = c.any("x", by.auth, strings.Repeat("0", 40), by.secret+"0")
	}
	method, path, pairs := c.call()
	if path == "submit" && c.IntN(2) == 0 && by.auth != "" {
		c.Raw.Do("DEL", fmt.Sprintf("user:%d:submitted_recently", c.id(by.name)))
	}
	got := by.call(method, path, form(pairs...))
	if call, _, _ := strings.Cut(path, "/"); got.Status == "ok" {
		c.done[call]++
		if path == "votenews" && slices.Contains(pairs, "down") {
			c.spent += feed.DownvoteCost
		}
		if by.secret != "" && wrong && method == "POST" && call != "login" && call != "create_account" {
			c.t.Errorf("%s with another secret returned %+v", path, got)
		}
	}
	for _, word := range []string{"edis", "ERR", "%!", "user:", "strconv", "nil"} {
		if strings.Contains(got.Error, word) {
			c.t.Errorf("%s %.100q says %q", path, pairs, got.Error)
		}
	}
	c.Clock.Advance(time.Duration(c.IntN(int(time.Hour) / *randomCalls))) // all take less than an hour, for which members get karma
}

// Calls of all kinds leave the keys of submissions, votes, comments and articles in step. -calls 1000 takes a second.
func TestRandomCallsKeepTheInvariants(t *testing.T) {
	dial, now := storetest.Redis(t), storetest.NewClock()
	n := storetest.NewsroomOver(storetest.New(t, core.Options{Dial: dial, Now: now.Now}), now)
	n.Raw = storetest.Commands(t, dial)
	s := newSiteOver(t, n, "")
	c := &caller{site: s, Rand: rand.New(rand.NewPCG(3, *randomSeed)), clients: []*client{s.stranger(), s.admin()}, done: make(map[string]int)}
	for i := range 6 {
		m := s.member(fmt.Sprint("m", i))
		c.clients = append(c.clients, m)
		m.comment(m.submit(fmt.Sprint(i)), "-1", "First")
	}
	c.clients = append(c.clients, s.program("m0", feed.ScopePosts, feed.ScopeFollows))
	given, before := 0, accountKeys(s)
	for i, key := range before {
		karma := []int{2, 31, 60}[i%3] // enough for two votes up, for one down, and for some
		given += karma
		s.Raw.Do("HSET", key, "karma", karma)
	}
	for range *randomCalls {
		c.step()
	}
	storetest.Check(t, dial, nil, feed.ImportAfter)
	karma, after := 0, accountKeys(s)
	for _, key := range after {
		has, err := strconv.Atoi(cmp.Or(s.Raw.StringMap("HGETALL", key)["karma"], "1"))
		if err != nil {
			t.Error(err)
		}
		karma += has
	}
	if want := given + len(after) - len(before) - c.spent; karma != want {
		t.Errorf("members have %d karma, want %d", karma, want)
	}
	c.checkLists()
	c.checkReplies()
	for _, key := range slices.Concat(s.Raw.Keys("auth:*"), s.Raw.Keys("attempts:*"), s.Raw.Keys("limit:*")) {
		if s.Raw.Int("TTL", key) < 0 {
			t.Errorf("%s does not expire", key)
		}
	}
	for _, call := range []string{"votenews", "votecomment", "postcomment", "submit", "delnews", "updateprofile", "getnews", "getcomments"} {
		if c.done[call] == 0 {
			t.Errorf("no %s succeeded: %v", call, c.done)
		}
	}
}

// checkLists looks for the submissions in the lists of members, of URLs, and of articles.
func (c *caller) checkLists() {
	for _, key := range c.Raw.Keys("news:*") {
		n, news := strings.TrimPrefix(key, "news:"), c.Raw.StringMap("HGETALL", key)
		listed := map[string]string{"user.posted:" + news["user_id"]: n, "time:": "article:" + n, "score:": "article:" + n}
		for _, voter := range c.Raw.Strings("ZRANGE", "news.up:"+n, 0, -1) {
			listed["user.saved:"+voter] = n
		}
		live := news["del"] == ""
		for list, member := range listed {
			has := c.Raw.Do("ZSCORE", list, member) != nil
			if has != live && (live || strings.HasPrefix(list, "user.posted:")) { // package lists removes deleted articles later
				c.t.Errorf("whether %s has %s is %t: %v", list, member, has, news)
			}
		}
		if first, _ := c.Raw.Do("GET", "url:"+news["url"]).([]byte); live && strings.HasPrefix(news["url"], "http") && string(first) != n {
			c.t.Errorf("the URL of submission %s leads to %q", n, first)
		}
	}
}

// checkReplies counts the replies that others have not deleted to the comments of each member, which no call marks as read.
func (c *caller) checkReplies() {
	want := make(map[int64]int)
	for _, key := range c.Raw.Keys("thread:comment:*") {
		type stored struct {
			UserID   int64 `json:"user_id"`
			ParentID int64 `json:"parent_id"`
			Deleted  int   `json:"del"`
		}
		authors, all := make(map[int64]int64), []stored{}
		for field, text := range c.Raw.StringMap("HGETALL", key) {
			var one stored
			if id, err := strconv.ParseInt(field, 10, 64); err == nil && json.Unmarshal([]byte(text), &one) == nil {
				authors[id], all = one.UserID, append(all, one)
			}
		}
		for _, one := range all {
			if author := authors[one.ParentID]; one.ParentID != feed.NoParent && one.Deleted == 0 && author != one.UserID {
				want[author]++
			}
		}
	}
	for _, key := range accountKeys(c.site) {
		id, _ := strconv.ParseInt(strings.TrimPrefix(key, "user:"), 10, 64)
		if got, _ := strconv.Atoi(c.Raw.StringMap("HGETALL", key)["replies"]); got != want[id] {
			c.t.Errorf("%s has %d unread replies, want %d", key, got, want[id])
		}
	}
}
