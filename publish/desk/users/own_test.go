package users_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMemberSeesTheTimelineAndTheirAccountOnly(t *testing.T) {
	o := newOffice(t)
	b := o.in("mia", feed.RoleMember)
	if rec := b.Send(http.MethodGet, "/", nil); rec.Code != http.StatusSeeOther || rec.Header().Get("Location") != "/read" {
		t.Errorf("/ answers %d and leads to %s", rec.Code, rec.Header().Get("Location"))
	}
	b.Get("/read", http.StatusOK)
	page := b.Get("/account", http.StatusOK)
	if !strings.Contains(page, `href="/read"`) || strings.Contains(page, `href="/sources"`) || strings.Contains(page, `href="/users"`) {
		t.Errorf("the header leads to other pages:\n%s", page)
	}
	for _, path := range []string{"/sources", "/sources/5", "/users", "/tokens", "/audit"} {
		b.Get(path, http.StatusForbidden)
	}
}

func TestPersonExportsTheirOwnData(t *testing.T) {
	o := newOffice(t)
	b := o.in("bob", feed.RoleViewer)
	o.in("ann", feed.RoleAdmin)
	for _, name := range []string{"bob", "ann"} {
		o.token(feed.Visitor{Name: name}, "token of "+name, feed.ScopeRead)
		if _, err := o.Follow(t.Context(), o.account(name).ID, feed.Follow{FeedURL: storetest.Site + "?" + name}); err != nil {
			t.Fatal(err)
		}
	}
	saved := feed.Entry{FeedURL: storetest.Site, GUID: "saved", Timestamp: time.Now()}
	err := o.SaveEntry(t.Context(), &saved)
	if err == nil {
		err = o.AddSaved(t.Context(), o.account("bob").ID, saved.ID)
	}
	profile := feed.Profile{About: "I like cranes", Email: "bob@example.org"}
	if err == nil {
		err = o.ChangeProfile(t.Context(), o.account("bob").ID, feed.ProfileChange{About: &profile.About, Email: &profile.Email})
	}
	if err == nil {
		_, err = o.Vote(t.Context(), &saved, o.account("bob").ID, feed.VoteDown)
	}
	if err != nil {
		t.Fatal(err)
	}
	post := feed.Entry{FeedURL: feed.MemberURL(o.account("bob").ID), GUID: "post", Timestamp: time.Now()}
	_, _, err = o.AddSource(t.Context(), feed.Source{URL: post.FeedURL})
	if err == nil {
		err = o.SaveEntry(t.Context(), &post)
	}
	if err == nil {
		err = o.UpdatePost(t.Context(), o.account("bob").ID, post.ID)
	}
	bob, ann, news := o.account("bob").ID, o.account("ann").ID, feed.Entry{FeedURL: feed.MemberURL(o.account("ann").ID), GUID: "news", Timestamp: time.Now()}
	if err == nil {
		_, _, err = o.AddSource(t.Context(), feed.Source{URL: news.FeedURL})
	}
	if err == nil {
		err = o.SaveEntry(t.Context(), &news)
	}
	if err == nil {
		err = o.Submit(t.Context(), &news, &feed.Submission{Title: "Cranes", URL: "https://a.example/"}, true)
	}
	n, _ := strconv.ParseInt(news.Number(), 10, 64)
	if err == nil {
		_, err = o.AddComment(t.Context(), n, bob, feed.NoParent, "Herons")
	}
	if err == nil {
		err = o.Report(t.Context(), feed.Reported{News: n}, bob, "No cranes: none")
	}
	if err == nil {
		err = o.Report(t.Context(), feed.Reported{News: n, Comment: 1}, ann, "by ann")
	}
	if err == nil {
		_, err = o.ModerateComment(t.Context(), n, 1, feed.Hidden)
	}
	if err == nil {
		_, err = o.Ban(t.Context(), bob)
	}
	if err != nil {
		t.Fatal(err)
	}
	rec := b.Send(http.MethodGet, "/account/export", nil)
	data := webtest.Read[struct {
		Account          struct{ Name string }
		Profile          feed.Profile
		Sessions, Tokens []struct{ Name string }
		Follows          []feed.Follow
		Saved, Posts     []feed.Entry
		Votes            []feed.OwnVote
		Comments         []feed.UserComment
		Reports          []feed.OwnReport
		BannedSince      time.Time `json:"banned_since"`
	}](t, rec)
	if len(data.Comments) != 1 || data.Comments[0].Body != "Herons" || data.Comments[0].State != "" || len(data.Reports) != 1 ||
		data.Reports[0].ID != news.Number() || data.Reports[0].Reason != "No cranes: none" || data.BannedSince.IsZero() {
		t.Errorf("of the community it exported %+v, %+v, %v", data.Comments, data.Reports, data.BannedSince)
	}
	if data.Account.Name != "bob" || data.Profile != profile || len(data.Sessions) != 1 || len(data.Tokens) != 1 || data.Tokens[0].Name != "token of bob" ||
		len(data.Follows) != 1 || data.Follows[0].FeedURL != storetest.Site+"?bob" || len(data.Saved) != 1 || data.Saved[0].ID != saved.ID ||
		len(data.Posts) != 1 || data.Posts[0].ID != post.ID {
		t.Errorf("exported %s", rec.Body)
	}
	if len(data.Votes) != 1 || data.Votes[0].Entry != saved.ID || data.Votes[0].Vote != feed.VoteDown {
		t.Errorf("exported the votes %v", data.Votes)
	}
	if hash := o.account("bob").Password.Sum; strings.Contains(rec.Body.String(), hash) {
		t.Error("the export has the password")
	}
	o.browser().Get("/account/export", 303)
}

func TestPersonRemovesTheirOwnAccount(t *testing.T) {
	o := newOffice(t)
	admin, b := o.in("ann", feed.RoleAdmin), o.in("bob", feed.RoleViewer)
	o.token(feed.Visitor{Name: "bob"}, "nightly", feed.ScopeRead)
	remove := func(b *browser, current string, status int) string {
		t.Helper()
		rec := b.Send(http.MethodPost, "/account/remove", url.Values{"current": {current}})
		if rec.Code != status {
			t.Fatalf("got %d, want %d: %s", rec.Code, status, rec.Body)
		}
		return rec.Body.String() + rec.Header().Get("Location")
	}
	webtest.Contains(t, remove(b, "wrong", 422), "The current password is wrong")
	webtest.Contains(t, remove(admin, password, 409), "make another account admin first")
	if to := remove(b, password, 303); to != "/login?did=removed" || b.Cookie != nil {
		t.Errorf("it leads to %s", to)
	}
	webtest.Contains(t, b.Get("/login?did=removed", 200), "Your account is removed")
	if rec := o.browser().signIn("bob", password); rec.Code != 401 {
		t.Errorf("bob signs in: %d", rec.Code)
	}
	log, err := o.Audit(t.Context(), "", 2)
	if err != nil || len(log) != 2 || log[0].Action != "account_remove" || log[0].Object.ID != "bob" || log[1].Action != "token_revoke" {
		t.Errorf("the audit log has %+v, %v", log, err)
	}
	if tokens, err := o.Tokens(t.Context()); err != nil || len(tokens) != 0 {
		t.Errorf("left are %+v, %v", tokens, err)
	}
}
