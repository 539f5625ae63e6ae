package lamernews_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/store/feed"
)

// 003-5, 003-7, 003-8, 003-9, 003-10, 003-11, 003-12, 003-16, 003-17
func TestA1SignUp(t *testing.T) {
	s := newSite(t)
	root := s.admin()
	if hash := s.user("root"); hash["flags"] != "a" || hash["id"] != "1" {
		t.Errorf("the first account is %v", hash)
	}
	s.Clock.Advance(time.Minute)
	ann := s.stranger().post("create_account", "username", "Ann", "password", password)
	hash := s.user("ann")
	for _, field := range []string{"id", "username", "password", "salt", "ctime", "karma", "about", "email", "auth", "apisecret", "flags", "karma_incr_time"} {
		if _, ok := hash[field]; !ok {
			t.Errorf("user:2 has no %s: %v", field, hash)
		}
	}
	if hash["karma"] != "1" || hash["apisecret"] != ann.APISecret || len(ann.Auth) != 40 || strings.ToLower(ann.Auth) != ann.Auth {
		t.Errorf("the account is %v, the session %+v", hash, ann)
	}
	if got := s.Raw.Strings("MGET", "username.to.id:ann", "auth:"+feed.SessionSum(ann.Auth), "auth:"+hash["auth"], "limit:create_user:192.0.2.1"); fmt.Sprint(got) != "[2 2 2 1]" {
		t.Errorf("the keys are %v", got)
	}
	if ttl := s.Raw.Int("TTL", "limit:create_user:192.0.2.1"); ttl <= 53990 || ttl > 54000 {
		t.Errorf("the network waits %d s", ttl)
	}
	s.stranger().refuses("an account was made from your network", "create_account", "username", "bob", "password", password)
	got := s.stranger().call("POST", "create_account", form("username", "ANN", "password", password), "Test-From", "198.51.100.1:1")
	if !strings.Contains(got.Error, "taken") || s.Raw.Int("EXISTS", "limit:create_user:198.51.100.1") != 0 {
		t.Errorf("a name that is taken: %+v", got)
	}
	for _, to := range [][2]string{{"[2001:db8::1]:1", "ok"}, {"[2001:db8::ffff:2]:1", "err"}, {"[2001:db8:0:1::1]:1", "ok"}} {
		name := "v6-" + strings.NewReplacer(":", "", "[", "", "]", "").Replace(to[0])
		got := s.stranger().call("POST", "create_account", form("username", name, "password", password), "Test-From", to[0])
		if got.Status != to[1] {
			t.Errorf("from %s: %+v", to[0], got)
		}
	}
	// The address of a client is the one that a trusted proxy names, and nothing that a client says.
	for _, to := range [][3]string{
		{"192.0.2.1:1", "203.0.113.7", "err"}, {"10.0.0.1:1", "192.0.2.1", "err"}, {"10.0.0.1:1", "203.0.113.8, 192.0.2.1", "err"}, {"10.0.0.1:1", "203.0.113.9", "ok"},
	} {
		got := s.stranger().call("POST", "create_account", form("username", "x"+to[1][:5]+to[1][len(to[1])-1:], "password", password), "Test-From", to[0], "X-Forwarded-For", to[1])
		if got.Status != to[2] {
			t.Errorf("from %v: %+v", to, got)
		}
	}
	if root.auth == "" {
		t.Error("the admin has no session")
	}
}

// 003-23, 003-8: a second vote is refused, too many votes are, and use of the API earns karma.
func TestA3VotesByCalls(t *testing.T) {
	s := newSite(t)
	ann, bob := s.member("ann"), s.member("bob")
	n := ann.submit("one")
	c := ann.comment(n, "-1", "First")
	bob.post("votenews", "news_id", n, "vote_type", "up")
	for _, way := range []string{"up", "down"} {
		bob.refuses("duplicated vote", "votenews", "news_id", n, "vote_type", way)
	}
	bob.refuses("needs 1 karma", "votenews", "news_id", ann.submit("two"), "vote_type", "up")
	s.Clock.Advance(time.Hour + time.Second)
	bob.call("GET", "getnews/latest/0/1", nil)
	if karma := s.user("bob")["karma"]; karma != "1" {
		t.Errorf("after an hour bob has %s karma", karma)
	}
	s.Raw.Do("SET", fmt.Sprint("user.voting:", s.id("bob")), feed.MaxVotes)
	bob.refuses("600 times", "votecomment", "comment_id", n+"-"+c, "vote_type", "up")
	bob.refuses("600 times", "votenews", "news_id", ann.submit("three"), "vote_type", "up")
}

// An invitation makes an account where accounts are not open to everyone.
func TestInvitationMakesAnAccountByACall(t *testing.T) {
	s := newSite(t)
	s.people.Reload(people.Access{SignUp: people.SignUpInvited, SignUpPerDay: 1000})
	invitation, err := s.people.InviteMember(t.Context(), &feed.Visitor{Name: "root"})
	if err != nil {
		t.Fatal(err)
	}
	_, secret, _ := strings.Cut(invitation.Link, "invitation=")
	call := []string{"username", "ann", "password", password, "invitation"}
	s.stranger().refuses("needs an invitation", "create_account", append(call, "x")...)
	if got := s.stranger().post("create_account", append(call, secret)...); got.Auth == "" {
		t.Errorf("the call returned %+v", got)
	}
}

// 003-6, 003-12, 003-17: every way to prove who sends a call.
func TestCallsIdentifyTheirClients(t *testing.T) {
	s := newSite(t)
	ann := s.member("ann")
	vote := []string{"news_id", ann.submit("one"), "vote_type", "up"}
	bob := s.member("bob")
	upper := *bob
	upper.auth = strings.ToUpper(bob.auth)
	upper.post("votenews", vote...)
	for name, c := range map[string]*client{
		"no cookie": {site: s, secret: bob.secret}, "another token": {site: s, auth: strings.Repeat("0", 40), secret: bob.secret},
		"the hash": {site: s, auth: s.user("bob")["auth"], secret: bob.secret}, "a short token": {site: s, auth: "1", secret: bob.secret},
		"the cookie of browsers": {site: s, auth: fmt.Sprint(s.id("bob"), ".", bob.auth), secret: bob.secret},
	} {
		t.Run(name, func(t *testing.T) { c.refuses("not authenticated", "votenews", vote...) })
	}
	for _, secret := range []string{"x", ann.secret, bob.auth, " "} { // the secret of another account does not help
		c := client{site: s, auth: bob.auth, secret: secret}
		for _, path := range []string{"logout", "submit", "delnews", "votenews", "postcomment", "votecomment", "updateprofile"} {
			c.refuses("wrong form secret", path, vote...)
		}
	}
	if got := bob.call("POST", "votenews?apisecret="+bob.secret, form("news_id", vote[1], "vote_type", "up", "apisecret", "-")); !strings.Contains(got.Error, "secret") {
		t.Errorf("a secret in the address: %+v", got)
	}
	s.stranger().refuses("no match", "login", "username", "bob", "password", "wrong words are fine")
	s.stranger().refuses("no match", "login", "username", "nobody", "password", password)
	s.stranger().refuses("required", "login", "username", "bob", "password", " ")
	if got := s.stranger().call("GET", "login?username=bob&password="+strings.ReplaceAll(password, " ", "+"), nil); got.Status != "err" || got.Auth != "" {
		t.Errorf("a password in the address: %+v", got)
	}
	s.legacy = true
	if got := s.stranger().call("GET", "login?username=bob&password="+strings.ReplaceAll(password, " ", "+"), nil); got.Status != "ok" || got.APISecret != bob.secret {
		t.Errorf("with legacy_login: %+v", got)
	}
}

// 003-13: an account gets one mail a day, and no answer tells whether it exists.
func TestResetIsAnsweredAlikeForEveryone(t *testing.T) {
	s := newSite(t)
	ann := s.member("ann")
	ann.post("updateprofile", "about", "", "email", "ann@example.org", "password", "")
	anyone := s.stranger()
	for _, who := range [][2]string{{"nobody", "ann@example.org"}, {"ann", "other@example.org"}, {"ann", "ann@example.org"}, {"ann", "ann@example.org"}} {
		anyone.post("reset-password", "username", who[0], "email", who[1])
	}
	requested := fmt.Sprint(s.Clock.Time.Unix())
	if got := s.user("ann")["pwd_reset"]; got != requested || s.Raw.Int("ZCARD", "mails") != 1 {
		t.Errorf("pwd_reset is %q, and %d mails wait", got, s.Raw.Int("ZCARD", "mails"))
	}
	anyone.refuses("required", "reset-password", "username", "ann", "email", " ")
	if got := anyone.call("GET", "reset-password?username=ann&email=ann@example.org", nil); got.Status != "err" {
		t.Errorf("by an address: %+v", got)
	}
	s.legacy = true
	for range 6 {
		if got := anyone.call("GET", "reset-password?username=ann&email=ann@example.org", nil); got.Status != "ok" {
			t.Errorf("with legacy_login: %+v", got)
		}
	}
	anyone.refuses("network has requested 10 links", "reset-password", "username", "ann", "email", "ann@example.org")
}

// A token of the API needs no secret, and cannot do more than its scopes.
func TestA7BearerNeedsNoSecret(t *testing.T) {
	s := newSite(t)
	ann, bob := s.member("ann"), s.member("bob")
	n := ann.submit("one")
	token := func(scopes ...feed.Scope) *client { return s.program("bob", scopes...) }
	token(feed.ScopeFollows).post("votenews", "news_id", n, "vote_type", "up")
	token(feed.ScopeFollows).refuses("scope posts", "postcomment", "news_id", n, "comment_id", "-1", "parent_id", "-1", "comment", "x")
	token(feed.ScopePosts).post("postcomment", "news_id", n, "comment_id", "-1", "parent_id", "-1", "comment", "x")
	token(feed.ScopePosts).refuses("cannot change the password", "updateprofile", "about", "", "email", "", "password", "other words are fine")
	token(feed.ScopePosts).refuses("cannot change the email", "updateprofile", "about", "", "email", "bob@example.org", "password", "")
	token(feed.ScopePosts).post("updateprofile", "about", "I like cranes", "email", "", "password", "")
	token(feed.ScopePosts, feed.ScopeFollows).refuses("no account", "logout")
	unknown := &client{site: s, token: feed.TokenText("x", "y"), auth: bob.auth, secret: bob.secret}
	unknown.refuses("not authenticated", "votenews", "news_id", n, "vote_type", "up")
}

// Defects (o) and (r): each client has a session of its own, and a new password ends all of them. 003-9, 003-10
func TestA7SessionsEnd(t *testing.T) {
	s := newSite(t)
	ann := s.member("ann")
	laptop, phone := s.signIn("ann"), s.signIn("ann")
	if ann.auth == laptop.auth || laptop.auth == phone.auth || laptop.secret != ann.secret {
		t.Fatalf("the sessions are %v, %v and %v", ann, laptop, phone)
	}
	profile := []string{"about", "I like cranes & <b>quays</b>", "email", "ann@example.org", "password", ""}
	ann.post("logout")
	ann.refuses("not authenticated", "updateprofile", profile...)
	laptop.post("updateprofile", profile...)
	phone.refuses("address like", "updateprofile", "about", "", "email", "ann@example.org\r\nBcc: all@example.org", "password", "")
	phone.refuses("address like", "updateprofile", "about", "", "email", `"x" <ann@example.org>`, "password", "")
	phone.refuses("control", "updateprofile", "about", "a\x00b", "email", "", "password", "")
	phone.refuses("required", "updateprofile", "about", "", "email", "")
	phone.refuses("address like", "updateprofile", "about", "", "email", "none", "password", "other words are fine")
	phone.refuses("at least", "updateprofile", "about", "", "email", "", "password", "short")
	if got, err := s.Profile(t.Context(), s.id("ann")); err != nil || got != (feed.Profile{About: profile[1], Email: profile[3]}) {
		t.Errorf("after refused changes the profile is %+v, %v", got, err)
	}
	phone.post("updateprofile", "about", strings.Repeat("é", 5000), "email", "", "password", "")
	if got, _ := s.Profile(t.Context(), s.id("ann")); len([]rune(got.About)) != 4096 {
		t.Errorf("the text has %d characters", len([]rune(got.About)))
	}
	s.stranger().post("login", "username", "ann", "password", password)
	next := phone.post("updateprofile", "about", "", "email", "", "password", "other words are fine")
	for _, old := range []*client{laptop, phone} {
		old.refuses("not authenticated", "updateprofile", profile...)
	}
	if next.APISecret == phone.secret {
		t.Error("the secret of the account is the same")
	}
	(&client{site: s, auth: next.Auth, secret: next.APISecret}).post("updateprofile", profile...)
	s.stranger().refuses("no match", "login", "username", "ann", "password", password)
	for range feed.SessionLife/time.Hour/12 + 1 {
		s.Clock.Advance(12 * time.Hour)
	}
	(&client{site: s, auth: next.Auth, secret: next.APISecret}).refuses("not authenticated", "updateprofile", profile...)
}

// 003-15, 003-18, 003-20, 003-22, 003-24, 003-25, 003-26, 003-27, 003-28
func TestA2Submit(t *testing.T) {
	s := newSite(t)
	ann, bob := s.member("ann"), s.member("bob")
	n := string(ann.post("submit", "news_id", " -1 ", "title", " A harbour ", "url", " https://a.example/one ", "text", "ignored").NewsID)
	id := fmt.Sprint(s.id("ann"))
	if h := s.news(n); h["title"] != "A harbour" || h["url"] != "https://a.example/one" || h["user_id"] != id || h["up"] != "1" || h["down"] != "0" || h["comments"] != "0" {
		t.Errorf("the submission is %v", h)
	}
	for _, key := range []string{"news.up:" + n + " " + id, "user.posted:" + id + " " + n, "user.saved:" + id + " " + n, "news.cron " + n, "news.top " + n} {
		key, member, _ := strings.Cut(key, " ")
		if s.Raw.Do("ZSCORE", key, member) == nil {
			t.Errorf("%s has not %s", key, member)
		}
	}
	if at, pause := s.Raw.Int("TTL", "url:https://a.example/one"), s.Raw.Int("TTL", "user:"+id+":submitted_recently"); at < 172790 || at > 172800 || pause < 890 || pause > 900 {
		t.Errorf("the URL lasts %d s, the break %d s", at, pause)
	}
	if got := string(bob.post("submit", "news_id", "-1", "title", "Again", "url", "https://a.example/one", "text", "").NewsID); got != n {
		t.Errorf("the same URL led to %s, want %s", got, n)
	}
	bob.refuses("http or https", "submit", "news_id", "-1", "title", "T", "url", "ftp://a.example/", "text", "")
	bob.refuses("send a url or a text", "submit", "news_id", "-1", "title", "T", "url", "", "text", " ")
	bob.refuses("1 to 200", "submit", "news_id", "-1", "title", "", "url", "https://a.example/two", "text", "")
	bob.refuses("news_id", "submit", "news_id", "", "title", "T", "url", "https://a.example/two", "text", "")
	bob.refuses("news_id", "submit", "news_id", "-2", "title", "T", "url", "https://a.example/two", "text", "")
	bob.refuses("no such news", "submit", "news_id", "999", "title", "T", "url", "https://a.example/two", "text", "")
	text := string(bob.post("submit", "news_id", "-1", "title", "Ask", "url", "", "text", `{"del": 1, "body": "x"}`).NewsID) // no break was started
	if h := s.news(text); h["url"] != `text://{"del": 1, "body": "x"}` || h["del"] != "" {
		t.Errorf("the text is %v", h)
	}
	ann.refuses("wait", "submit", "news_id", "-1", "title", "T", "url", "https://a.example/two", "text", "")
	ann.post("submit", "news_id", n, "title", "Changed", "url", "https://a.example/three", "text", "")
	bob.refuses("someone else", "submit", "news_id", n, "title", "Mine", "url", "https://a.example/three", "text", "")
	bob.refuses("someone else", "delnews", "news_id", n)
	ann.post("delnews", "news_id", n)
	ann.refuses("removed", "submit", "news_id", n, "title", "Back", "url", "https://a.example/three", "text", "")
}

// 003-34, defect (b): no count returns more than 32.
func TestGetNewsReturnsAtMost32(t *testing.T) {
	s := newSite(t)
	root, ann := s.admin(), s.member("ann")
	for i := range 40 {
		s.Clock.Advance(time.Second)
		root.submit(fmt.Sprint("n", i))
	}
	list := func(path string) response { return ann.call("GET", "getnews/"+path, nil) }
	for path, want := range map[string]int{"latest/0/32": 32, "top/0/10": 10, "latest/0/0": 1, "latest/0/-1": 1, "latest/0/-2": 1, "latest/0/x": 1, "latest/39/5": 1, "latest/-5/3": 3, "latest/99999999999/3": 0} {
		if got := list(path); len(got.News) != want || got.Count != 40 {
			t.Errorf("%s: %d of %d, want %d", path, len(got.News), got.Count, want)
		}
	}
	for path, want := range map[string]string{"latest/0/2": "n39 n38", "latest/2/2": "n37 n36", "latest/-5/2": "n39 n38", "latest/38/9": "n1 n0"} {
		if got := list(path).News; got[0]["title"]+" "+got[1]["title"] != want || len(got) != 2 {
			t.Errorf("%s: %v, want %s", path, got, want)
		}
	}
	oldest := list("latest/39/1").News[0]["id"]
	s.member("bob").post("votenews", "news_id", oldest, "vote_type", "up")
	if got := list("top/0/1").News[0]; got["id"] != oldest || list("latest/0/1").News[0]["title"] != "n39" {
		t.Errorf("the top is %v", got)
	}
	for _, path := range []string{"latest/0/33", "latest/0/9999999999", "best/0/1", "news.cron/0/1"} {
		if got := list(path); got.Status != "err" || got.News != nil {
			t.Errorf("%s: %+v", path, got)
		}
	}
	first := list("latest/0/1").News[0]
	ann.post("votenews", "news_id", first["id"], "vote_type", "up")
	first = list("latest/0/1").News[0]
	if first["title"] != "n39" || first["username"] != "root" || first["up"] != "2" || first["voted"] != "up" || first["ctime"] != fmt.Sprint(s.Clock.Time.Unix()) || len(first) != 9 {
		t.Errorf("the first is %v", first)
	}
	root.post("delnews", "news_id", first["id"])
	if got := list("latest/0/1"); got.Count != 39 || got.News[0]["id"] == first["id"] {
		t.Errorf("after its deletion: %+v", got)
	}
}

// 003-21, 003-29, 003-30, 003-31, 003-32, 003-33, defects (a), (c), (d), (e) and (n)
func TestA6CommentsByCalls(t *testing.T) {
	s := newSite(t)
	ann, bob := s.member("ann"), s.member("bob")
	n := ann.submit("one")
	first := bob.comment(n, "-1", `First "quoted" {"del":1}`)
	reply := ann.comment(n, first, " Reply\r\nin lines ")
	if got := ann.call("GET", "getcomments/"+n, nil).Comments[0].Replies[0].Body; got != "Reply\nin lines" {
		t.Errorf("the reply is %q", got)
	}
	if got := ann.post("postcomment", "news_id", n, "comment_id", reply, "parent_id", first, "comment", "Edited"); got.Op != "update" || got.ParentID != first || string(got.NewsID) != `"`+n+`"` {
		t.Errorf("an edit returned %+v", got)
	}
	ann.post("votecomment", "comment_id", n+"-"+first, "vote_type", "up")
	ann.refuses("duplicated", "votecomment", "comment_id", n+"-"+first, "vote_type", "up")
	ann.refuses("duplicated", "votecomment", "comment_id", n+"-"+first, "vote_type", "down")
	for _, id := range []string{"", "-", n, n + "-", "-" + first, n + "-0", n + "--1", "nextid-1"} {
		ann.refuses("comment_id", "votecomment", "comment_id", id, "vote_type", "up")
	}
	ann.refuses("no such", "votecomment", "comment_id", n+"-99", "vote_type", "up")
	thread := ann.call("GET", "getcomments/"+n, nil).Comments
	if len(thread) != 1 || fmt.Sprint(thread[0].ID) != first || thread[0].Up != 2 || thread[0].Voted != "up" || thread[0].Username != "bob" || thread[0].Replies[0].Body != "Edited" {
		t.Errorf("the thread is %+v", thread)
	}
	if s.user("bob")["replies"] != "1" || s.user("ann")["replies"] != "" {
		t.Errorf("replies of bob %q, of ann %q", s.user("bob")["replies"], s.user("ann")["replies"])
	}
	bob.refuses("1 to 4096", "postcomment", "news_id", n, "comment_id", "-1", "parent_id", "-1", "comment", " ")
	bob.refuses("missing", "postcomment", "news_id", n, "comment_id", "-1", "parent_id", "-1")
	bob.refuses("someone else", "postcomment", "news_id", n, "comment_id", reply, "parent_id", first, "comment", "")
	for range 2 { // the second time changes nothing
		if got := bob.post("postcomment", "news_id", n, "comment_id", first, "parent_id", "-1", "comment", ""); got.Op != "delete" {
			t.Errorf("a deletion returned %+v", got)
		}
	}
	bob.refuses("removed", "postcomment", "news_id", n, "comment_id", first, "parent_id", "-1", "comment", "Back")
	thread = s.stranger().call("GET", "getcomments/"+n, nil).Comments
	if c := thread[0]; c.Del != 1 || c.Body != "" || c.Username != "" || len(c.Replies) != 1 {
		t.Errorf("the deleted comment is %+v", c)
	}
	if got := s.news(n)["comments"]; got != "1" {
		t.Errorf("the submission counts %s comments", got)
	}
	ann.post("delnews", "news_id", n)
	bob.refuses("removed", "votenews", "news_id", n, "vote_type", "up")
	bob.refuses("removed", "postcomment", "news_id", n, "comment_id", "-1", "parent_id", "-1", "comment", "x")
	bob.refuses("removed", "votecomment", "comment_id", n+"-"+reply, "vote_type", "up")
	if s.Raw.Do("ZSCORE", "news.top", n) != nil {
		t.Error("the deleted submission is in news.top")
	}
	s.Clock.Advance(feed.CommentEdit + time.Second)
	ann.refuses("too old", "postcomment", "news_id", n, "comment_id", reply, "parent_id", first, "comment", "")
	s.admin().post("postcomment", "news_id", n, "comment_id", reply, "parent_id", first, "comment", "")
	if got := s.news(n)["comments"]; got != "0" {
		t.Errorf("after the deletion by an admin the submission counts %s comments", got)
	}
	if got := s.stranger().call("GET", "getcomments/999", nil); !strings.Contains(got.Error, "ong news ID") {
		t.Errorf("comments on nothing: %+v", got)
	}
}

// Calls that change something are no GET, and the API is at the root of a host of its own.
func TestMountOfTheAPI(t *testing.T) {
	s := mounted(t, "talk.example")
	ann := s.member("ann")
	n := ann.submit("one")
	if got := ann.call(http.MethodGet, "getnews/top/0/1", nil); got.Count != 1 || got.News[0]["id"] != n {
		t.Errorf("the news are %+v", got)
	}
	for _, host := range []string{"talk.example", "wire.example"} {
		for _, path := range []string{"logout", "create_account", "submit", "delnews", "votenews", "postcomment", "votecomment", "updateprofile"} {
			if code := status(s, "http://"+host+"/api/"+path); code < 400 {
				t.Errorf("GET %s of %s: got %d", path, host, code)
			}
		}
	}
}

// Show 5 of the community: no call tells a stranger whether there is an account.
func TestCallsDoNotRevealAccounts(t *testing.T) {
	s := newSite(t)
	s.member("ann")
	s.member("off")
	if _, err := s.DisableAccount(t.Context(), "off"); err != nil {
		t.Fatal(err)
	}
	if err := s.AddAccount(t.Context(), feed.Account{Name: "new", Role: feed.RoleMember}); err != nil { // has chosen no password
		t.Fatal(err)
	}
	alike := func(what, path string, forms ...url.Values) {
		t.Helper()
		var first string
		for i, form := range forms {
			got := string(s.stranger().send("POST", path, form, "Test-From", fmt.Sprintf("203.0.113.%d:1", i)))
			if first == "" {
				first = got
			}
			if got != first {
				t.Errorf("%s with %v: got %s, and with %v %s", what, form, got, forms[0], first)
			}
		}
	}
	alike("login", "login", form("username", "ann", "password", "not the password"), form("username", "off", "password", password),
		form("username", "new", "password", password), form("username", "nobody", "password", password), form("username", "no name", "password", password))
	alike("reset-password", "reset-password", form("username", "ann", "email", "ann@example.org"), form("username", "nobody", "email", "ann@example.org"))
	signUps := []url.Values{form("username", "ann", "password", password), form("username", "nobody", "password", password), form("username", "off", "password", password)}
	for _, mode := range []people.SignUpMode{people.SignUpClosed, people.SignUpInvited} {
		s.people.Reload(people.Access{SignUp: mode, SignUpPerDay: 1000})
		alike("create_account, "+string(mode), "create_account", signUps...)
	}

	// Where anyone may make an account, its name is free or taken. A network finds out only a few.
	s.people.Reload(people.Access{SignUp: people.SignUpOpen, SignUpPerDay: 1000})
	told := 0
	for range 30 {
		got := s.stranger().call("POST", "create_account", signUps[0], "Test-From", "203.0.113.9:1")
		if strings.Contains(got.Error, "taken") {
			told++
		}
	}
	if told == 0 || told > 10 {
		t.Errorf("30 sign-ups of one network told %d times that a name is taken", told)
	}
}
