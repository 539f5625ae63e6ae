package lists_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/lists"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestPeopleVoteWithoutAnAccount(t *testing.T) {
	const paid = "https://paid.example/feed"
	each(t, func(s *site) {
		e, secret := s.save(storetest.Harbour, "public", s.Clock.Time), s.save(paid, "secret", s.Clock.Time)
		path := func(e *feed.Entry) string { return "/api/v1/entries/" + e.Number() + "/anonymous-vote" }
		const up = `{"vote": "up"}`
		for _, source := range []feed.Source{{URL: storetest.Harbour}, {URL: paid, Request: feed.Request{Username: "ann", Password: "secret"}}} {
			_, _, err := s.AddSource(t.Context(), source)
			s.ok(err)
		}
		s.Visitor = feed.Visitor{}
		s.send(403, "PUT", path(e), up)
		s.ok(s.RankEntry(t.Context(), e))
		if page := s.send(200, "GET", "/lists/score", ""); strings.Contains(page, "without an account") {
			t.Error("the page asks for votes although they are not configured")
		}
		s.Reload(core.Options{AnonymousVotes: true})
		s.ok(s.Check(t.Context())) // so that the installation is known
		s.Mount(lists.New(s.Newsroom, s.Kit, lists.Options{Anonymous: func() bool { return true }}))
		s.send(400, "PUT", path(e), `{"vote": "sideways"}`)
		s.send(404, "PUT", path(secret), up)
		s.send(404, "PUT", "/api/v1/entries/999/anonymous-vote", up)
		for range 2 {
			webtest.Contains(t, s.send(200, "PUT", path(e), up), `"votes":0,"vote":"up","anonymous":1}`)
		}
		page := s.send(200, "GET", "/lists/score", "")
		form := `action="/lists/entries/` + e.Number() + `/vote"`
		webtest.Contains(t, page, form, "1 without an account", "0 votes")
		s.send(303, "POST", "/lists/entries/"+e.Number()+"/vote", url.Values{"vote": {"down"}, "back": {"/lists/score"}}.Encode())
		webtest.Contains(t, s.send(200, "GET", "/lists/score", ""), "-1 without an account", "0 votes")
		for range feed.MaxAnonymousVotes {
			s.Call("PUT", path(e), up)
			s.Call("PUT", path(e), `{"vote": "none"}`)
		}
		rec := s.Call("PUT", path(e), up)
		if wait, _ := strconv.Atoi(rec.Header().Get("Retry-After")); rec.Code != 429 || wait < 1 || wait > 3600 {
			t.Errorf("too many votes: %d %v", rec.Code, rec.Header())
		}
		s.as(feed.RoleMember)
		page = s.send(200, "GET", "/lists/score", "")
		if got := webtest.BallotOf(page, e.Number()); got.Buttons["up"] != "up" || strings.Contains(page, form) {
			t.Errorf("a member sees %+v", got)
		}
		s.Visitor = feed.Visitor{}
		s.Clock.Advance(feed.VoteWindow + time.Second)
		if page := s.send(200, "GET", "/lists/score", ""); strings.Contains(page, form) {
			t.Error("voting has closed, and the page has buttons")
		}
	})
}
