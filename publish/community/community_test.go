package community_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/publish/blocklist"
	"github.com/feedwire/feedwire/publish/community"
	"github.com/feedwire/feedwire/publish/desk/entries"
	"github.com/feedwire/feedwire/publish/moderation"
	"github.com/feedwire/feedwire/publish/posts"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// site serves submissions to ann and bob, who are members, and to the admin root.
type site struct {
	*webtest.Desk
	*storetest.Newsroom
	t   testing.TB
	raw *storetest.Redigo
	ids map[string]int64
	// title and titleErr are what the site of a URL answers.
	title    string
	titleErr error
	// gravatars reports whether members have pictures.
	gravatars bool
	// before is called after an entry was created and before it is a submission, saving before an entry is saved for a member.
	before func()
	saving func(entry string)
	// blocked is what members may not write.
	blocked blocklist.List
	refused *prometheus.CounterVec
	// newAccounts are the limits of new accounts.
	newAccounts feed.NewAccountLimits
	review      feed.Review
}

// hookedStore calls the hook of a site.
type hookedStore struct {
	*storetest.Newsroom
	site *site
}

func (h *hookedStore) AddSaved(ctx context.Context, user int64, entry string) error {
	h.site.saving(entry)
	return h.Newsroom.AddSaved(ctx, user, entry)
}

// each runs a test on each engine and in both layouts.
func each(t *testing.T, test func(s *site)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, opts core.Options, now *storetest.Clock, raw *storetest.Redigo) {
		test(newSite(t, opts, now, raw))
	})
}

// onRedis runs a test of pages, to which engine and layout make no difference.
func onRedis(t *testing.T, test func(s *site)) {
	t.Helper()
	dial, now := storetest.Redis(t), storetest.NewClock()
	test(newSite(t, core.Options{Dial: dial, Now: now.Now}, now, storetest.NewRedigo(t, dial, "")))
}

func newSite(t testing.TB, opts core.Options, now *storetest.Clock, raw *storetest.Redigo) *site {
	t.Helper()
	n := storetest.NewsroomOver(storetest.New(t, opts), now)
	s := &site{Desk: webtest.Over(n, now.Now), Newsroom: n, t: t, raw: raw, ids: make(map[string]int64), before: func() {}, saving: func(string) {}, refused: community.NewRefused(nil)}
	written := entries.New(n, s.Kit, entries.Options{Takedown: func(take func() error) error { return take() }})
	posted := posts.New(n, s.Kit, posts.Options{})
	s.Mount(community.New(&hookedStore{n, s}, s.Kit, community.Options{
		Mount: web.NewMount("/community", "", "https://wire.example"), Name: "Harbour Talk",
		Gravatars: func() bool { return s.gravatars },
		Picture: func(w http.ResponseWriter, _ *http.Request, url string) error {
			_, err := io.WriteString(w, url)
			return err
		},
		Title:     func(context.Context, string) (string, error) { return s.title, s.titleErr },
		AddSource: posted.AddSource, Edit: written.Edit, Remove: written.Remove, Moderator: moderation.New(n),
		Blocklist: &s.blocked, Refused: s.refused,
		NewAccounts: func() feed.NewAccountLimits { return s.newAccounts },
		Review:      func() feed.Review { return s.review },
		Create: func(r *http.Request, e feed.Entry) (feed.Entry, error) {
			e, err := written.Create(r, e)
			s.before()
			return e, err
		},
	}))
	for name, role := range map[string]feed.Role{"ann": feed.RoleMember, "bob": feed.RoleMember, "eve": feed.RoleEditor, "root": feed.RoleAdmin} {
		s.ok(n.AddAccount(t.Context(), feed.Account{Name: name, Role: role, Created: now.Time}))
		a, err := n.Account(t.Context(), name)
		s.ok(err)
		s.ids[name] = a.ID
	}
	s.as("ann")
	return s
}

func (s *site) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// as makes a person with an account send the following requests; an empty name: anyone.
func (s *site) as(name string) {
	s.t.Helper()
	s.Visitor = feed.Visitor{}
	if name != "" {
		a, err := s.Account(s.t.Context(), name)
		s.ok(err)
		s.Visitor = feed.Visitor{Name: name, Scopes: a.Role.Scopes(), Account: a}
	}
}

// send sends a request and fails the test if it gets another status.
func (s *site) send(status int, method, path, body string, header ...string) string {
	s.t.Helper()
	rec := s.Call(method, path, body, header...)
	if rec.Code != status {
		s.t.Fatalf("%s %s %.200s: got %d, want %d: %s", method, path, body, rec.Code, status, rec.Body)
	}
	return rec.Body.String()
}

type submission struct {
	feed.News
	Duplicate bool
}

// submit submits a URL after the break of the member.
func (s *site) submit(title string) submission {
	s.t.Helper()
	s.raw.Do("DEL", fmt.Sprintf("user:%d:submitted_recently", s.Visitor.Account.ID))
	rec := s.Call(http.MethodPost, all, body(title))
	if rec.Code != http.StatusCreated {
		s.t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	n := webtest.Read[submission](s.t, rec)
	if got := rec.Header().Get("Location"); got != one(n.ID) {
		s.t.Errorf("Location is %q", got)
	}
	return n
}

const all = "/api/v1/submissions"

func one(n int64) string { return fmt.Sprint(all, "/", n) }

func body(title string) string {
	return fmt.Sprintf(`{"title": %q, "url": "https://a.example/%s"}`, title, title)
}

func (s *site) entry(n int64) (e feed.Entry, found bool) {
	s.t.Helper()
	id := fmt.Sprint("Entry:", n)
	stored, err := s.HeadlinesByID(s.t.Context(), []string{id})
	s.ok(err)
	e, found = stored[id]
	return e, found
}

// 003-24, 003-25
func TestA2SubmissionIsAnEntryOfItsAuthor(t *testing.T) {
	each(t, func(s *site) {
		n := s.submit("one")
		e, _ := s.entry(n.ID)
		if e.Title != "one" || e.Link != "https://a.example/one" || feed.MemberOf(e.FeedURL) != s.ids["ann"] {
			t.Errorf("the entry is %+v", e)
		}
		if n.Author != "ann" || n.URL != "https://a.example/one" || n.Up != 1 || n.Vote != feed.VoteUp || !n.Created.Equal(s.Clock.Time) || n.Duplicate {
			t.Errorf("the submission is %+v", n)
		}
		saved, err := s.Saved(t.Context(), s.ids["ann"], feed.Cursor{}, 10)
		s.ok(err)
		posted, err := s.Posts(t.Context(), s.ids["ann"], feed.Cursor{}, 10)
		s.ok(err)
		if len(saved.Entries) != 1 || len(posted.Entries) != 1 {
			t.Errorf("ann has saved %d entries and posted %d", len(saved.Entries), len(posted.Entries))
		}
		if text := s.send(429, "POST", all, body("two")); !strings.Contains(text, "wait") {
			t.Errorf("the second submission got %s", text)
		}
		s.as("bob")
		again := webtest.Read[submission](t, s.Call("POST", all, body("one")))
		if !again.Duplicate || again.ID != n.ID || again.Vote != feed.VoteNone {
			t.Errorf("the same URL led to %+v", again)
		}
		s.submit("two") // bob does not have to wait
		s.send(400, "POST", all, `{"title": "", "url": "ftp://x"}`)
		s.send(400, "POST", all, `{"title": "x", "text": "y", "karma": 5}`)
		s.as("root")
		for i := range 3 { // admins do not wait
			s.Clock.Advance(time.Second)
			s.send(201, "POST", all, fmt.Sprintf(`{"title": "Ask", "text": "<b>%d</b>\n\nWhy?"}`, i))
		}
		page := webtest.Get[feed.Page[feed.News]](t, s.Desk, all+"?limit=1")
		found, err := s.Entries(t.Context(), feed.MemberURL(s.ids["root"]), 1)
		s.ok(err)
		if page.Items[0].Text == "" || !strings.Contains(found[0].Content, "&lt;b&gt;") || !strings.Contains(found[0].Content, "<p>Why?</p>") {
			t.Errorf("a text is %+v, its entry %q", page.Items[0], found[0].Content)
		}
		s.as("")
		s.send(401, "POST", all, body("three"))
	})
}

// Another member submits the URL while the entry is created.
func TestSlowerSubmissionOfAURLLeavesNoEntry(t *testing.T) {
	each(t, func(s *site) {
		s.before = func() {
			e := feed.Entry{ID: "Entry:1000000", FeedURL: feed.MemberURL(s.ids["bob"]), Title: "first"}
			s.ok(s.Submit(t.Context(), &e, &feed.Submission{Title: "first", URL: "https://a.example/one"}, false))
		}
		n := webtest.Read[submission](t, s.Call("POST", all, body("one")))
		if !n.Duplicate || n.Author != "bob" {
			t.Errorf("ann got %+v", n)
		}
		left, err := s.Entries(t.Context(), feed.MemberURL(s.ids["ann"]), 10)
		posted, failed := s.Posts(t.Context(), s.ids["ann"], feed.Cursor{}, 10)
		if err != nil || failed != nil || len(left) != 0 || len(posted.Entries) != 0 {
			t.Errorf("ann's entries are %+v, her posts %+v; %v %v", left, posted, err, failed)
		}
		s.before = func() {}
		s.send(201, "POST", all, body("two")) // ann does not have to wait
	})
}

// A daemon that was killed before the entry became a submission completes it with the repetition of the request.
func TestRepeatedRequestCompletesASubmission(t *testing.T) {
	each(t, func(s *site) {
		s.before = func() { panic("killed") }
		func() {
			defer func() { _ = recover() }()
			s.Call("POST", all, body("one"), "Idempotency-Key", "k")
		}()
		s.before = func() {}
		for _, key := range s.raw.Keys("answer:*") { // the claim of the request ends
			s.raw.Do("DEL", key)
		}
		left, err := s.Entries(t.Context(), feed.MemberURL(s.ids["ann"]), 10)
		if err != nil || len(left) != 1 {
			t.Fatalf("entries are %+v, %v", left, err)
		}
		n := webtest.Read[submission](t, s.Call("POST", all, body("one"), "Idempotency-Key", "k"))
		if n.EntryID() != left[0].ID {
			t.Errorf("the entry is %s, the submission %+v", left[0].ID, n)
		}
	})
}

func TestSubmissionsAreReadByAnyone(t *testing.T) {
	each(t, func(s *site) {
		var ids []int64
		for i := range 5 {
			s.Clock.Advance(time.Minute)
			ids = append(ids, s.submit(fmt.Sprint("s", i)).ID)
		}
		s.as("bob")
		s.send(200, "PUT", one(ids[0])+"/vote", `{"vote": "up"}`)
		s.as("")
		walk := func(order string) (got []int64) {
			for cursor := ""; ; {
				page := webtest.Get[feed.Page[feed.News]](t, s.Desk, all+"?limit=2&order="+order+"&cursor="+cursor)
				for _, n := range page.Items {
					got = append(got, n.ID)
				}
				if cursor = page.Next; cursor == "" {
					return got
				}
			}
		}
		if got := walk("latest"); len(got) != 5 || got[0] != ids[4] || got[4] != ids[0] {
			t.Errorf("the latest are %v of %v", got, ids)
		}
		if got := walk("top"); len(got) != 5 || got[0] != ids[0] {
			t.Errorf("the top are %v of %v", got, ids)
		}
		if n := webtest.Get[feed.News](t, s.Desk, one(ids[0])); n.Up != 2 || n.Vote != feed.VoteNone {
			t.Errorf("anyone reads %+v", n)
		}
		for _, path := range []string{all + "?order=best", all + "?sort=top", one(ids[0]) + "?x=1", all + "?limit=0", all + "?limit=201", all + "?cursor=!"} { // defect (b): 0 were all
			s.send(400, "GET", path, "")
		}
		s.send(404, "GET", all+"/x", "")
		s.send(404, "GET", one(999), "")
		s.send(401, "GET", one(ids[0]), "", "Authorization", "Bearer wrong")
	})
}

func TestA3VotesBySubmission(t *testing.T) {
	each(t, func(s *site) {
		first, second := s.submit("one").ID, s.submit("two").ID
		s.as("bob")
		voted := webtest.Read[feed.News](t, s.Call("PUT", one(first)+"/vote", `{"vote": "up"}`))
		if voted.Up != 2 || voted.Vote != feed.VoteUp {
			t.Errorf("after the vote: %+v", voted)
		}
		saved, err := s.Saved(t.Context(), s.ids["bob"], feed.Cursor{}, 10)
		if err != nil || len(saved.Entries) != 1 {
			t.Errorf("bob has saved %+v, %v", saved, err)
		}
		s.send(200, "PUT", one(first)+"/vote", `{"vote": "up"}`) // is repeatable
		s.send(409, "PUT", one(first)+"/vote", `{"vote": "down"}`)
		s.send(400, "PUT", one(first)+"/vote", `{"vote": "none"}`)
		if text := s.send(403, "PUT", one(second)+"/vote", `{"vote": "up"}`); !strings.Contains(text, "karma") {
			t.Errorf("a vote without karma got %s", text)
		}
		if m := webtest.Get[feed.Member](t, s.Desk, "/api/v1/me/community"); m.Karma != 0 {
			t.Errorf("bob has %+v", m)
		}
		s.Clock.Advance(time.Hour + time.Second)
		s.send(200, "GET", all, "") // a visit
		if m := webtest.Get[feed.Member](t, s.Desk, "/api/v1/me/community"); m.Karma != 1 {
			t.Errorf("after an hour bob has %+v", m)
		}
		s.send(200, "PUT", one(second)+"/vote", `{"vote": "up"}`)
		s.send(404, "PUT", one(999)+"/vote", `{"vote": "up"}`)
		s.as("")
		s.send(401, "PUT", one(first)+"/vote", `{"vote": "up"}`)
	})
}

func TestA5SubmissionsAreChangedByTheirAuthorsAndAdmins(t *testing.T) {
	each(t, func(s *site) {
		n := s.submit("one").ID
		edited := webtest.Read[feed.News](t, s.Call("PUT", one(n), `{"title": "Two", "text": "Why?"}`))
		e, _ := s.entry(n)
		if edited.Title != "Two" || edited.Text != "Why?" || e.Title != "Two" || e.Link != "" {
			t.Errorf("edited: %+v, %+v", edited, e)
		}
		s.as("bob")
		s.send(403, "PUT", one(n), body("mine"))
		s.send(403, "DELETE", one(n), "")
		s.Clock.Advance(15 * time.Minute)
		s.as("ann")
		s.send(409, "PUT", one(n), body("late"))
		s.send(409, "DELETE", one(n), "")
		s.as("root")
		s.send(200, "PUT", one(n), body("three"))
		s.send(204, "DELETE", one(n), "")
		s.send(204, "DELETE", one(n), "")
		if _, found := s.entry(n); found {
			t.Error("the entry is there")
		}
		gone := webtest.Get[feed.News](t, s.Desk, one(n))
		if !gone.Deleted || gone.Title != "" || gone.URL != "" {
			t.Errorf("deleted: %+v", gone)
		}
		s.as("bob")
		s.send(410, "PUT", one(n)+"/vote", `{"vote": "up"}`)
		s.send(404, "DELETE", one(999), "")
		if page := webtest.Get[feed.Page[feed.News]](t, s.Desk, all); len(page.Items) != 0 {
			t.Errorf("listed: %+v", page.Items)
		}
		s.submit("three") // its URL is free
	})
}

// An entry may be taken down, or expire, without its submission.
func TestSweptSubmissionIsDeleted(t *testing.T) {
	each(t, func(s *site) {
		kept, lost := s.submit("kept"), s.submit("lost")
		_, err := s.TakeDownEntry(t.Context(), lost.EntryID())
		s.ok(err)
		s.as("bob")
		s.send(410, "PUT", one(lost.ID)+"/vote", `{"vote": "up"}`)
		s.ok(s.SweepNews(t.Context()))
		if page := webtest.Get[feed.Page[feed.News]](t, s.Desk, all); len(page.Items) != 1 || page.Items[0].ID != kept.ID {
			t.Errorf("listed: %+v", page.Items)
		}
	})
}

func TestVoteBeforeATakedownCounts(t *testing.T) {
	onRedis(t, func(s *site) {
		n := s.submit("Cranes")
		s.saving = func(entry string) {
			_, err := s.TakeDownEntry(t.Context(), entry)
			s.ok(err)
		}
		s.as("bob")
		if got := s.send(http.StatusOK, http.MethodPut, one(n.ID)+"/vote", `{"vote": "up"}`); !strings.Contains(got, `"up":2`) {
			t.Errorf("the vote is answered by %s", got)
		}
	})
}
