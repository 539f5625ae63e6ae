package articles_test

import (
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestArticlesShowTheVotesOnTheirEntries(t *testing.T) {
	d, n := newDesk(t)
	uuid := storetest.Post(2)
	a, err := n.Article(t.Context(), uuid, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := n.Entry(t.Context(), a.Entry)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.AddAccount(t.Context(), feed.Account{Name: "rea", Role: feed.RoleViewer}); err != nil {
		t.Fatal(err)
	}
	account, err := n.Account(t.Context(), "rea")
	if err != nil {
		t.Fatal(err)
	}
	n.Clock.Time = e.Timestamp.Add(time.Hour)
	anonymous := d.As(t, "token", feed.RoleViewer)
	for _, page := range []string{anonymous.Get("/articles", 200), anonymous.Get("/articles/"+uuid, 200)} {
		if webtest.BallotOf(page, e.Number()).Votes != "" {
			t.Error("a visitor without an account is asked to vote on an entry without votes")
		}
	}
	for _, step := range []struct {
		vote  feed.Vote
		votes string
		own   string
		next  string // of the button up
	}{{feed.VoteUp, "1", "up", "none"}, {feed.VoteDown, "-1", "down", "up"}} {
		if _, err := n.Vote(t.Context(), &e, account.ID, step.vote); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/articles", "/articles/" + uuid} {
			got := webtest.BallotOf(anonymous.Get(path, 200), e.Number())
			if got.Votes != step.votes || len(got.Buttons) != 0 {
				t.Errorf("a visitor without an account sees %+v at %s", got, path)
			}
			d.Visitor = feed.Visitor{Name: "rea", Scopes: feed.RoleViewer.Scopes(), Account: account}
			page := d.Call("GET", path, "").Body.String()
			got = webtest.BallotOf(page, e.Number())
			if got.Votes != step.votes || got.Own != step.own || got.Buttons["up"] != step.next {
				t.Errorf("after %s there is %+v at %s", step.vote, got, path)
			}
			webtest.Contains(t, page, "/assets/vote.js", `<input type="hidden" name="back" value="`+path+`">`)
		}
	}
	n.Clock.Advance(feed.VoteWindow)
	page := d.Call("GET", "/articles", "").Body.String()
	if got := webtest.BallotOf(page, e.Number()); got.Votes != "-1" || len(got.Buttons) != 0 {
		t.Errorf("after voting has closed there is %+v", got)
	}
}
