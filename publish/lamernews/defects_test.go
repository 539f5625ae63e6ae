package lamernews_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// 003-7, 003-13, 003-17, 003-23, 003-33: Lamer News has each of these defects. A subtest fails if feedwire has it.
func TestDefectsOfLamerNewsAreAbsent(t *testing.T) {
	all := newSite(t)
	root := all.admin()
	for i, defect := range []struct {
		name   string // begins with the letter of the defect
		absent func(d *defect)
	}{
		{"a deleted news takes votes and comments, and returns to the top", (*defect).deletedNewsIsOpen},
		{"b a count of 0 or less returns the whole list", (*defect).countIsUnbounded},
		{"c a comment that is deleted twice counts twice, and an edit revives it", (*defect).deletionCountsTwice},
		{"d the body of a deleted comment is returned", (*defect).deletedBodyIsReturned},
		{"e comments have no id and no order", (*defect).commentsHaveNoID},
		{"f one of two votes on a comment is lost", (*defect).commentVotesAreLost},
		{"g votes up and down of one member both count", (*defect).bothVotesCount},
		{"h two accounts have one name", (*defect).nameIsTakenTwice},
		{"i the link to reset a password is a session, of the host that the request names", (*defect).resetLinkIsASession},
		{"j addresses contain passwords and tokens", (*defect).addressesHaveSecrets},
		{"k a name has several lines", (*defect).nameHasLines},
		{"l a removed author is an account without a name", (*defect).removedAuthorHasNoName},
		{"m the URL of deleted news cannot be submitted again", (*defect).deletedURLIsBlocked},
		{"n a comment is empty", (*defect).commentIsEmpty},
		{"o all clients have one token, which never expires", (*defect).tokenIsShared},
		{"p saved news stays saved", (*defect).savedStays},
		{"q a vote reads all votes before it", (*defect).voteReadsAllVotes},
		{"r sessions outlast a change of the password", (*defect).sessionsOutlastThePassword},
	} {
		t.Run(defect.name, func(t *testing.T) {
			if letter := string(rune('a' + i)); letter != defect.name[:1] {
				t.Errorf("the defect %s has no test", letter)
			}
			s := *all
			s.t = t
			defer func() { all.from = s.from }()
			defect.absent(newDefect(&s, root, defect.name[:1]))
		})
	}
}

// defect has two members for the subtest of a defect.
type defect struct {
	*site
	letter         string
	root, ann, bob *client
}

func newDefect(s *site, root *client, letter string) *defect {
	s.t.Helper()
	admin := *root
	admin.site = s
	return &defect{s, letter, &admin, s.member("ann-" + letter), s.member("bob-" + letter)}
}

// news submits a URL that no other subtest has, and returns its number.
func (d *defect) submits(c *client) string {
	d.t.Helper()
	d.from++
	return c.submit(fmt.Sprint(d.letter, d.from))
}

func (d *defect) listed(n string) bool {
	return d.Raw.Do("ZSCORE", "news.top", n) != nil || d.Raw.Do("ZSCORE", "news.cron", n) != nil
}

func (d *defect) deletedNewsIsOpen() {
	n := d.submits(d.ann)
	c := d.ann.comment(n, "-1", "First")
	d.ann.post("delnews", "news_id", n)
	d.bob.refuses("removed", "votenews", "news_id", n, "vote_type", "up")
	d.bob.refuses("removed", "postcomment", "news_id", n, "comment_id", "-1", "parent_id", "-1", "comment", "x")
	d.bob.refuses("removed", "votecomment", "comment_id", n+"-"+c, "vote_type", "up")
	if err := d.RankNews(d.t.Context()); err != nil || d.listed(n) {
		d.t.Errorf("the deleted submission is listed; %v", err)
	}
}

func (d *defect) countIsUnbounded() {
	for range 3 {
		d.submits(d.ann)
	}
	for _, count := range []string{"0", "-1", "-2", "-33", "1"} {
		for _, order := range []string{"latest", "top"} {
			if got := d.bob.call("GET", "getnews/"+order+"/0/"+count, nil); len(got.News) != 1 || got.Count < 3 {
				d.t.Errorf("%s: the count %s returns %d of %d", order, count, len(got.News), got.Count)
			}
		}
	}
}

func (d *defect) deletionCountsTwice() {
	n := d.submits(d.ann)
	first := d.bob.comment(n, "-1", "First")
	d.ann.comment(n, first, "Reply")
	for range 2 {
		d.bob.post("postcomment", "news_id", n, "comment_id", first, "parent_id", "-1", "comment", "")
	}
	d.bob.refuses("removed", "postcomment", "news_id", n, "comment_id", first, "parent_id", "-1", "comment", "Back")
	if got := d.news(n)["comments"]; got != "1" {
		d.t.Errorf("the submission counts %s comments", got)
	}
	if c := d.ann.call("GET", "getcomments/"+n, nil).Comments[0]; c.Del != 1 || c.Body != "" {
		d.t.Errorf("the deleted comment is %+v", c)
	}
}

func (d *defect) deletedBodyIsReturned() {
	n := d.submits(d.ann)
	first := d.bob.comment(n, "-1", "Regrettable")
	d.ann.comment(n, first, "Reply")
	d.bob.post("postcomment", "news_id", n, "comment_id", first, "parent_id", "-1", "comment", "")
	for what, text := range map[string]string{
		"the answer": fmt.Sprint(d.bob.call("GET", "getcomments/"+n, nil)), "the page": d.page(d.bob, "/news/"+n),
		"the page of the author": d.page(d.bob, "/usercomments/"+d.bob.name), "the thread": fmt.Sprint(d.Raw.StringMap("HGETALL", "thread:comment:"+n)),
	} {
		if strings.Contains(text, "Regrettable") {
			d.t.Errorf("%s has the body of a deleted comment: %s", what, text)
		}
	}
}

func (d *defect) commentsHaveNoID() {
	n := d.submits(d.ann)
	for _, text := range []string{"old", "middle", "new"} {
		d.bob.comment(n, "-1", text)
		d.Clock.Advance(time.Second)
	}
	order := func() (all string) {
		for _, c := range d.ann.call("GET", "getcomments/"+n, nil).Comments {
			all += c.Body + " "
		}
		return all
	}
	if got := order(); got != "new middle old " {
		d.t.Errorf("without votes the comments are %s", got)
	}
	id := d.ann.call("GET", "getcomments/"+n, nil).Comments[2].ID
	d.ann.post("votecomment", "comment_id", fmt.Sprint(n, "-", id), "vote_type", "up")
	d.ann.comment(n, fmt.Sprint(id), "reply")
	got := d.bob.call("GET", "getcomments/"+n, nil).Comments
	if got[0].Body != "old" || got[0].Up != 2 || len(got[0].Replies) != 1 || got[0].Replies[0].ParentID != id || order() != "old new middle " {
		d.t.Errorf("the vote and the reply by the id of a comment led to %+v", got)
	}
}

// together calls a function several times at once.
func together(times int, do func(i int)) {
	var all sync.WaitGroup
	for i := range times {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

func (d *defect) commentVotesAreLost() {
	n := d.submits(d.ann)
	c := d.ann.comment(n, "-1", "First")
	var voters []*client
	for i := range 20 {
		voters = append(voters, d.member(fmt.Sprint("voter", i)))
	}
	together(len(voters), func(i int) {
		voters[i].post("votecomment", "comment_id", n+"-"+c, "vote_type", []string{"up", "down"}[i%2])
	})
	if got := d.ann.call("GET", "getcomments/"+n, nil).Comments[0]; got.Up != 11 || got.Down != 10 {
		d.t.Errorf("of 10 votes in each direction %d and %d count, with that of the author", got.Up, got.Down)
	}
}

func (d *defect) bothVotesCount() {
	n := d.submits(d.ann)
	c := d.ann.comment(n, "-1", "First")
	d.Raw.Do("HSET", fmt.Sprint("user:", d.id(d.bob.name)), "karma", 100)
	together(20, func(i int) {
		way := []string{"up", "down"}[i%2]
		d.bob.call("POST", "votenews", form("news_id", n, "vote_type", way))
		d.bob.call("POST", "votecomment", form("comment_id", n+"-"+c, "vote_type", way))
	})
	if h := d.news(n); h["up"]+h["down"] != "20" && h["up"]+h["down"] != "11" {
		d.t.Errorf("one of the votes on the submission counts, and with that of the author there are %s up and %s down", h["up"], h["down"])
	}
	if got := d.ann.call("GET", "getcomments/"+n, nil).Comments[0]; got.Up+got.Down != 2 {
		d.t.Errorf("one of the votes on the comment counts, and with that of the author there are %d up and %d down", got.Up, got.Down)
	}
}

func (d *defect) nameIsTakenTwice() {
	before, made := len(accountKeys(d.site)), make([]response, 50)
	together(len(made), func(i int) {
		made[i] = d.stranger().call("POST", "create_account", form("username", []string{"Same", "same"}[i%2], "password", password),
			"Test-From", fmt.Sprintf("203.0.113.%d:1", i))
	})
	won := slices.DeleteFunc(slices.Clone(made), func(r response) bool { return r.Status == "err" && strings.Contains(r.Error, "taken") })
	if added := len(accountKeys(d.site)) - before; len(won) != 1 || won[0].Status != "ok" || added != 1 {
		d.t.Errorf("of 50 sign-ups with one name %+v succeeded, which made %d accounts", won, added)
	}
}

func (d *defect) resetLinkIsASession() {
	reset, err := d.people.Reset(d.t.Context(), d.bob.name)
	if err != nil {
		d.t.Fatal(err)
	}
	base, secret, _ := strings.Cut(reset.Link, "?once=")
	if base != "http://wire.example/welcome" || strings.Contains(reset.Link, d.bob.auth) {
		d.t.Errorf("the link is %s", reset.Link)
	}
	for _, token := range []string{secret, d.user(d.bob.name)["auth"]} {
		(&client{site: d.site, auth: token, secret: d.bob.secret}).refuses("not authenticated", "logout")
	}
	use := func() error {
		r := httptest.NewRequestWithContext(d.t.Context(), http.MethodPost, "http://evil.example/welcome", nil)
		_, err := d.people.UseLink(httptest.NewRecorder(), r, new(feed.Session), secret, d.bob.name, "other words are fine", "other words are fine")
		return err
	}
	if err := use(); err != nil {
		d.t.Fatal(err)
	}
	if err := use(); err == nil {
		d.t.Error("the link is valid twice")
	}
	d.bob.refuses("not authenticated", "logout")
	if keys := d.Raw.Keys("user:"); len(keys) != 0 {
		d.t.Errorf("the keys %v belong to no account", keys)
	}
}

func (d *defect) addressesHaveSecrets() {
	query := url.Values{"username": {d.bob.name}, "password": {password}, "auth": {d.bob.auth}, "apisecret": {d.bob.secret}}.Encode()
	if got := d.stranger().call("GET", "login?"+query, nil); got.Status != "err" || got.Auth != "" {
		d.t.Errorf("a password in the address: %+v", got)
	}
	if code := status(d.site, "http://"+d.host+d.mount+"/api/logout?"+query); code != http.StatusNotFound && code != http.StatusMethodNotAllowed {
		d.t.Errorf("GET logout: got %d", code)
	}
	if got := d.stranger().call("POST", "logout?"+query, nil); got.Status != "err" {
		d.t.Errorf("a token in the address: %+v", got)
	}
	d.bob.post("logout")
}

func (d *defect) nameHasLines() {
	names := []string{"ab\ncd", "ab\r\nSet-Cookie: auth=x", "-\nab", "ab\n-", "ab\u2028cd"}
	for _, name := range names {
		d.stranger().refuses("letters, digits", "create_account", "username", name, "password", password)
	}
}

func (d *defect) removedAuthorHasNoName() {
	n := d.submits(d.ann)
	d.bob.comment(n, "-1", "Left behind")
	if _, err := d.RemoveAccount(d.t.Context(), d.bob.name); err != nil {
		d.t.Fatal(err)
	}
	page := d.page(d.ann, "/news/"+n) // the job that erases what is left has not run
	if !strings.Contains(page, "Left behind") || !strings.Contains(page, "[removed]") || strings.Contains(page, `/user/"`) {
		d.t.Errorf("the author of the comment is not marked as removed: %s", page)
	}
	if got := d.ann.call("GET", "getcomments/"+n, nil).Comments[0]; got.Username != "" || got.Body != "Left behind" {
		d.t.Errorf("the comment is %+v", got)
	}
}

func (d *defect) deletedURLIsBlocked() {
	n := d.submits(d.ann)
	link := d.news(n)["url"]
	d.ann.post("delnews", "news_id", n)
	if got := string(d.bob.post("submit", "news_id", "-1", "title", "Again", "url", link, "text", "").NewsID); got == n || d.news(got)["url"] != link {
		d.t.Errorf("the URL of the deleted submission %s leads to %s", n, got)
	}
}

func (d *defect) commentIsEmpty() {
	n := d.submits(d.ann)
	for _, text := range []string{"", " ", "\r\n\t", "\u200b", "\u202e\ufeff"} {
		d.bob.refuses("1 to 4096", "postcomment", "news_id", n, "comment_id", "-1", "parent_id", "-1", "comment", text)
	}
	if got := d.news(n)["comments"]; got != "0" || d.Raw.Int("EXISTS", "thread:comment:"+n) != 0 {
		d.t.Errorf("the submission counts %s comments", got)
	}
}

func (d *defect) tokenIsShared() {
	laptop, phone := d.signIn(d.ann.name), d.signIn(d.ann.name)
	if tokens := map[string]bool{d.ann.auth: true, laptop.auth: true, phone.auth: true}; len(tokens) != 3 {
		d.t.Errorf("three clients have the tokens %v", slices.Collect(maps.Keys(tokens)))
	}
	laptop.post("logout")
	laptop.refuses("not authenticated", "logout")
	if key := "auth:" + feed.SessionSum(phone.auth); d.Raw.Int("TTL", key) <= 0 || d.Raw.Int("TTL", key) > int(feed.SessionLife.Seconds()) {
		d.t.Errorf("the session of the other client expires in %d s", d.Raw.Int("TTL", key))
	}
	phone.post("logout")
}

func (d *defect) savedStays() {
	n := d.submits(d.ann)
	saved := func() bool { return d.Raw.Do("ZSCORE", fmt.Sprint("user.saved:", d.id(d.ann.name)), n) != nil }
	if !saved() {
		d.t.Error("the submission is not saved for its author")
	}
	if rec := d.browse(d.ann, http.MethodPost, "/news/"+n+"/unsave"); rec.Code != http.StatusSeeOther || saved() {
		d.t.Errorf("got %d %s", rec.Code, rec.Body)
	}
}

func (d *defect) voteReadsAllVotes() {
	n := d.submits(d.ann)
	commands := func() map[string]bool {
		d.t.Helper()
		d.Raw.Do("CONFIG", "RESETSTAT")
		voter := d.member(fmt.Sprint("v", d.from))
		voter.post("votenews", "news_id", n, "vote_type", "up")
		all := make(map[string]bool)
		for _, line := range strings.Fields(fmt.Sprintf("%s", d.Raw.Do("INFO", "commandstats"))) {
			if name, rest, _ := strings.Cut(strings.TrimPrefix(line, "cmdstat_"), ":"); name != line {
				calls, _, _ := strings.Cut(rest, ",")
				all[name+" "+calls] = true
			}
		}
		return all
	}
	commands() // marks the article for its signal
	first := commands()
	for command := range first {
		if name, _, _ := strings.Cut(command, " "); slices.Contains([]string{"zrange", "zrangebyscore", "zrevrange", "zscan", "smembers", "sscan", "zunion"}, name) {
			d.t.Errorf("a vote uses %s", command)
		}
	}
	for range 5 {
		commands()
	}
	if later := commands(); !maps.Equal(first, later) {
		d.t.Errorf("the third vote sends %v, the ninth %v", slices.Sorted(maps.Keys(first)), slices.Sorted(maps.Keys(later)))
	}
}

func (d *defect) sessionsOutlastThePassword() {
	other := d.signIn(d.ann.name)
	next := d.ann.post("updateprofile", "about", "", "email", "", "password", "other words are fine")
	for _, c := range []*client{d.ann, other} {
		c.refuses("not authenticated", "logout")
	}
	(&client{site: d.site, auth: next.Auth, secret: next.APISecret}).post("logout")
}

// browse sends a request of a browser that has the session of a client.
func (s *site) browse(c *client, method, path string) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), method, "http://"+s.host+s.mount+path, nil)
	r.Header.Set("Cookie", fmt.Sprintf("feedwire=%d.%s", s.id(c.name), c.auth))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	rec := httptest.NewRecorder()
	s.kit.ServeHTTP(rec, r)
	return rec
}

// page returns a page as a client sees it.
func (s *site) page(c *client, path string) string {
	s.t.Helper()
	rec := s.browse(c, http.MethodGet, path)
	if rec.Code != http.StatusOK {
		s.t.Fatalf("%s by %s: got %d %s", path, c.name, rec.Code, rec.Body)
	}
	return rec.Body.String()
}
