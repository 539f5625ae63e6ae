package moderation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/moderation"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// court is the moderation of a submission of ann, 1, on which bob has commented. Eve is an editor, root an admin.
type court struct {
	*webtest.Desk
	*storetest.Newsroom
	t *testing.T
}

func each(t *testing.T, test func(c *court)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, opts core.Options, now *storetest.Clock, _ *storetest.Redigo) {
		n := storetest.NewsroomOver(storetest.New(t, opts), now)
		c := &court{webtest.Over(n, now.Now), n, t}
		c.Mount(moderation.New(n))
		for name, role := range map[string]feed.Role{"ann": feed.RoleMember, "bob": feed.RoleMember, "eve": feed.RoleEditor, "root": feed.RoleAdmin} {
			c.ok(n.AddAccount(t.Context(), feed.Account{Name: name, Role: role, Created: now.Time}))
		}
		e := feed.Entry{ID: "Entry:1", FeedURL: feed.MemberURL(c.account("ann").ID), Title: "One", Timestamp: now.Time}
		c.ok(n.Submit(t.Context(), &e, &feed.Submission{Title: "One", URL: "https://a.example/one"}, false))
		_, err := n.AddComment(t.Context(), 1, c.account("bob").ID, feed.NoParent, "Rude")
		c.ok(err)
		test(c)
	})
}

func (c *court) ok(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *court) account(name string) feed.Account {
	c.t.Helper()
	a, err := c.Account(c.t.Context(), name)
	c.ok(err)
	return a
}

// send sends a request of a person and fails the test if it gets another status.
func (c *court) send(who string, status int, method, path, body string) string {
	c.t.Helper()
	a := c.account(who)
	c.Visitor = feed.Visitor{Name: who, Scopes: a.Role.Scopes(), Account: a}
	rec := c.Call(method, path, body)
	if rec.Code != status {
		c.t.Errorf("%s sends %s %s %s: got %d, want %d: %s", who, method, path, body, rec.Code, status, rec.Body)
	}
	return rec.Body.String()
}

// thread returns how many comments a person reads.
func (c *court) thread(who string) int {
	c.t.Helper()
	all, err := c.Thread(c.t.Context(), 1, c.account(who).ID)
	c.ok(err)
	return len(all)
}

// log returns the audit log, oldest first: "eve moderate comment 1-1".
func (c *court) log() string {
	c.t.Helper()
	all, err := c.Audit(c.t.Context(), "", 20)
	c.ok(err)
	var lines []string
	for _, e := range all {
		lines = append([]string{fmt.Sprint(e.Who, " ", e.Action, " ", e.Object, " ", e.Before, " ", e.After)}, lines...)
	}
	return strings.Join(lines, "\n")
}

const (
	reports = "/api/v1/moderation/reports"
	report  = "/api/v1/submissions/1/reports"
	state   = "/api/v1/entries/1/comments/1/state"
	lock    = "/api/v1/submissions/1/lock"
	bans    = "/api/v1/moderation/bans"
)

func TestMembersReportToModerators(t *testing.T) {
	each(t, func(c *court) {
		c.send("ann", 204, "POST", report, `{"comment": 1, "reason": "An insult"}`)
		c.send("bob", 204, "POST", report, `{"reason": "spam"}`)
		c.send("bob", 403, "POST", report, `{"comment": 1, "reason": "mine"}`)
		for _, body := range []string{`{}`, `{"reason": " "}`, `{"reason": "x", "comment": -1}`, `{"reason": "x", "to": 1}`, fmt.Sprintf(`{"reason": %q}`, strings.Repeat("x", 501))} {
			c.send("ann", 400, "POST", report, body)
		}
		c.send("ann", 404, "POST", "/api/v1/submissions/9/reports", `{"reason": "x"}`)
		c.send("ann", 404, "POST", "/api/v1/submissions/1-1/reports", `{"reason": "x"}`)
		c.send("eve", 204, "DELETE", reports+"/1-1", "")
		page := webtest.Get[feed.Page[feed.Report]](t, c.Desk, reports+"?limit=1")
		if len(page.Items) != 1 || page.Items[0].ID != "1" || page.Items[0].Reasons[0].Reason != "spam" || page.Next != "" {
			t.Errorf("the queue is %+v", page)
		}
	})
}

// 19
func TestModeratorsReviewSubmissions(t *testing.T) {
	each(t, func(c *court) {
		const held, state = "/api/v1/moderation/held", "/api/v1/submissions/1/state"
		c.send("ann", 403, "GET", held, "")
		c.send("eve", 400, "GET", held+"?limit=0", "")
		c.send("eve", 204, "PUT", state, `{"state": "held"}`)
		if page := webtest.Get[feed.Page[feed.Report]](t, c.Desk, held); len(page.Items) != 1 || page.Items[0].ID != "1" || page.Items[0].Author != "ann" || page.Items[0].State != feed.Held {
			t.Errorf("the queue is %+v", page)
		}
		c.send("eve", 400, "PUT", state, `{"state": "rejected"}`)
		c.send("eve", 204, "PUT", state, `{"state": "rejected", "reason": "An ad"}`)
		c.send("eve", 204, "PUT", state, `{"state": "visible"}`)
		for _, of := range []string{"held", "rejected"} { // comments are not reviewed
			c.send("eve", 400, "PUT", "/api/v1/entries/1/comments/1/state", fmt.Sprintf(`{"state": %q, "reason": "x"}`, of))
		}
		const want = "eve moderate submission 1 visible held\neve moderate submission 1 held rejected\neve moderate submission 1 rejected visible"
		if got := c.log(); got != want {
			t.Errorf("the log is\n%s\nwant\n%s", got, want)
		}
		if page := webtest.Get[feed.Page[feed.Report]](t, c.Desk, held); len(page.Items) != 0 {
			t.Errorf("the queue is %+v", page)
		}
	})
}

func TestDecisionsAreForModeratorsAndLogged(t *testing.T) {
	each(t, func(c *court) {
		c.send("ann", 204, "POST", report, `{"comment": 1, "reason": "An insult"}`)
		for _, path := range []string{reports, bans} {
			c.send("ann", 403, "GET", path, "")
			c.send("eve", 200, "GET", path, "")
			c.send("eve", 400, "GET", path+"?limit=0", "")
			c.send("eve", 400, "GET", path+"?sort=x", "")
		}
		c.send("ann", 403, "PUT", state, `{"state": "hidden"}`)
		c.send("ann", 403, "PUT", lock, "")
		c.send("ann", 403, "PUT", bans+"/bob", "")
		c.send("ann", 403, "DELETE", reports+"/1-1", "")
		if text := c.send("eve", 200, "GET", reports, ""); !strings.Contains(text, `"id":"1-1"`) || !strings.Contains(text, "An insult") || !strings.Contains(text, `"author":"bob"`) {
			t.Errorf("the queue is %s", text)
		}
		c.send("eve", 204, "PUT", state, `{"state": "hidden"}`)
		c.send("eve", 204, "PUT", state, `{"state": "hidden"}`) // is not logged
		if c.thread("bob") != 1 || c.thread("ann") != 0 || strings.Contains(c.send("eve", 200, "GET", reports, ""), "1-1") {
			t.Errorf("bob reads %d comments, ann %d", c.thread("bob"), c.thread("ann"))
		}
		c.send("eve", 204, "PUT", state, `{"state": "visible"}`)
		c.send("eve", 400, "PUT", state, `{"state": "gone"}`)
		c.send("eve", 404, "PUT", "/api/v1/entries/1/comments/7/state", `{"state": "hidden"}`)
		c.send("eve", 404, "PUT", "/api/v1/entries/1/comments/x/state", `{"state": "hidden"}`)
		c.send("eve", 204, "DELETE", reports+"/1-1", "") // is in the queue no longer
		c.send("eve", 404, "DELETE", reports+"/x", "")
		c.send("eve", 204, "PUT", lock, "")
		c.send("root", 204, "DELETE", lock, "")
		c.send("eve", 404, "PUT", "/api/v1/submissions/x/lock", "")
		c.send("eve", 204, "PUT", bans+"/bob", "")
		if text := c.send("root", 200, "GET", bans, ""); !strings.Contains(text, `"account":"bob"`) {
			t.Errorf("bans are %s", text)
		}
		c.send("bob", 403, "POST", report, `{"reason": "spam"}`)
		c.send("root", 204, "DELETE", bans+"/bob", "")
		c.send("eve", 409, "PUT", bans+"/root", "")
		c.send("root", 409, "PUT", bans+"/eve", "")
		c.send("eve", 404, "PUT", bans+"/nobody", "")
		want := `eve moderate comment 1-1 visible hidden
eve moderate comment 1-1 hidden visible
eve thread_lock submission 1  
root thread_unlock submission 1  
eve member_ban bob  
root member_unban bob  `
		if got := c.log(); got != want {
			t.Errorf("the audit log is\n%s", got)
		}
	})
}

// 003-33: a decision has a reason, by default what members have reported, and moderators read it without addresses.
func TestDecisionsHaveReasons(t *testing.T) {
	each(t, func(c *court) {
		const newsState, decisions = "/api/v1/submissions/1/state", "/api/v1/moderation/decisions"
		c.send("bob", 204, "POST", report, `{"reason": "spam: again"}`)
		c.send("root", 204, "POST", report, `{"reason": "spam"}`)
		c.send("ann", 403, "PUT", newsState, `{"state": "hidden"}`)
		c.send("ann", 403, "GET", decisions, "")
		c.send("eve", 204, "PUT", newsState, `{"state": "removed"}`)
		if all, err := c.News(t.Context(), c.account("ann").ID, 1); err != nil || !all[0].Deleted || all[0].URL != "" {
			t.Errorf("removed, it is %+v, %v", all, err)
		}
		c.send("eve", 204, "PUT", newsState, `{"state": "visible", "reason": "An error"}`)
		c.send("eve", 204, "PUT", reports+"/1", "")
		c.send("eve", 204, "PUT", reports+"/1", "") // is in the queue
		c.send("eve", 204, "DELETE", reports+"/1?reason=Fine", "")
		c.send("eve", 400, "DELETE", reports+"/1?reason="+strings.Repeat("x", 501), "")
		c.send("eve", 204, "PUT", bans+"/bob?reason=Rude", "")
		c.send("eve", 400, "PUT", newsState, `{"state": "hidden", "reason": "a\u0000b"}`)
		var got []string
		for path := decisions + "?limit=2"; ; {
			page := webtest.Get[feed.Page[feed.ModerationEntry]](t, c.Desk, path)
			for _, d := range page.Items {
				got = append(got, strings.Join([]string{d.Who, d.Action, d.Object, d.Thing, d.After, d.Reason}, "|"))
			}
			if path = decisions + "?limit=2&cursor=" + page.Next; page.Next == "" {
				break
			}
		}
		want := []string{
			"eve|member_ban|bob|||Rude", "eve|report_close|submission 1|1||Fine", "eve|report_reopen|submission 1|1||",
			"eve|moderate|submission 1|1|visible|An error", "eve|moderate|submission 1|1|removed|spam (2)",
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("the decisions are %q", got)
		}
	})
}

// Moderators read who invited whom, also through removed accounts.
func TestModeratorsReadTheTreeOfInvitations(t *testing.T) {
	each(t, func(c *court) {
		invite := func(by, who string) {
			t.Helper()
			i := feed.NewInvitation("of " + who)
			i.Inviter, i.Created, i.Expires = c.account(by).ID, c.Now(), c.Now().Add(feed.InvitationLife)
			c.ok(c.AddInvitation(t.Context(), i))
			c.ok(c.SignUp(t.Context(), feed.SignUp{Name: who, Invitation: i.Sum}))
		}
		const path = "/api/v1/moderation/members/%s/invitations"
		for _, step := range []string{"root amy", "amy ben", "ben cleo", "cleo dan", "cleo dora", "cleo emil"} {
			by, who, _ := strings.Cut(step, " ")
			invite(by, who)
		}
		for _, name := range []string{"ben", "dan"} {
			_, err := c.RemoveAccount(t.Context(), name)
			c.ok(err)
		}
		_, err := c.DisableAccount(t.Context(), "emil")
		c.ok(err)
		_, err = c.Community.Ban(t.Context(), c.account("dora").ID)
		c.ok(err)
		c.send("ann", 403, "GET", fmt.Sprintf(path, "cleo"), "")
		c.send("eve", 404, "GET", fmt.Sprintf(path, "ben"), "")
		c.send("eve", 400, "GET", fmt.Sprintf(path, "cleo")+"?cursor=x", "")
		words := func(all []feed.TreeMember) (text string) {
			for _, m := range all {
				text += fmt.Sprintf("%s is %s with %d; ", m.Account, m.State, m.Karma)
			}
			return text
		}
		var invited []string
		for next := ""; ; {
			tree := webtest.Get[feed.InvitationTree](t, c.Desk, fmt.Sprintf(path, "cleo")+"?limit=1&cursor="+next)
			if got := words(tree.Above); tree.Member.Account != "cleo" || got != " is removed with 0; amy is active with 1; root is active with 1; " {
				t.Errorf("above %s are %s", tree.Member.Account, got)
			}
			invited = append(invited, words(tree.Invited.Items))
			if next = tree.Invited.Next; next == "" {
				break
			}
		}
		slices.Sort(invited)
		if got := strings.Join(invited, ""); got != " is removed with 0; dora is banned with 1; emil is disabled with 1; " {
			t.Errorf("cleo invited %s", got)
		}
	})
}
