package lists_test

import (
	"context"
	"errors"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/lists"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const yard = "http://yard.example/feed.xml"

// site serves votes and lists to ann, who follows a source.
type site struct {
	*webtest.Desk
	*storetest.Newsroom
	t     *testing.T
	lists *lists.Lists
	ann   int64
}

// each runs a test on each engine and in both layouts.
func each(t *testing.T, test func(s *site)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, opts core.Options, now *storetest.Clock, raw *storetest.Redigo) {
		n := storetest.NewsroomOver(storetest.New(t, opts), now)
		n.Raw = raw
		s := &site{Desk: webtest.Over(n, now.Now), Newsroom: n, t: t}
		s.lists = lists.New(n, s.Kit, lists.Options{})
		s.Mount(s.lists)
		s.ok(n.AddAccount(t.Context(), feed.Account{Name: "ann", Role: feed.RoleMember}))
		a, err := n.Account(t.Context(), "ann")
		s.ok(err)
		s.ann = a.ID
		_, err = n.Follow(t.Context(), s.ann, feed.Follow{FeedURL: storetest.Harbour})
		s.ok(err)
		s.as(feed.RoleMember)
		test(s)
	})
}

func (s *site) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// as makes ann send the following requests with the rights of a role.
func (s *site) as(role feed.Role) {
	s.Visitor = feed.Visitor{Name: "ann", Scopes: role.Scopes(), Account: feed.Account{ID: s.ann, Name: "ann", Role: role}}
}

// save stores an entry of a source.
func (s *site) save(feedURL, title string, at time.Time) *feed.Entry {
	s.t.Helper()
	e := &feed.Entry{FeedURL: feedURL, GUID: title, Title: title, Timestamp: at}
	s.ok(s.SaveEntry(s.t.Context(), e))
	return e
}

// send fails the test unless a request gets a status. It returns the body.
func (s *site) send(status int, method, path, body string) string {
	s.t.Helper()
	rec := s.Call(method, path, body)
	if rec.Code != status {
		s.t.Fatalf("%s %s %s: got %d, want %d: %s", method, path, body, rec.Code, status, rec.Body)
	}
	return rec.Body.String()
}

func (s *site) vote(status int, number, vote string) string {
	s.t.Helper()
	return s.send(status, "PUT", "/api/v1/entries/"+number+"/vote", `{"vote": "`+vote+`"}`)
}

// titles returns the titles with votes of all pages of a list.
func (s *site) titles(name string) string {
	s.t.Helper()
	var all []string
	for cursor := ""; ; {
		page := webtest.Get[feed.Page[feed.Ranked]](s.t, s.Desk, "/api/v1/lists/"+name+"?limit=2&cursor="+cursor)
		for _, e := range page.Items {
			all = append(all, fmt.Sprint(e.Entry.Title, " ", e.Votes, " ", e.Vote))
		}
		if cursor = page.Next; cursor == "" {
			return strings.Join(all, ", ")
		}
	}
}

func TestMemberVotes(t *testing.T) {
	each(t, func(s *site) {
		a, b := s.save(storetest.Harbour, "a", s.Clock.Time), s.save(storetest.Harbour, "b", s.Clock.Time.Add(-time.Minute))
		for _, step := range []struct {
			vote  string
			votes int
		}{{"up", 1}, {"up", 1}, {"down", -1}, {"none", 0}, {"up", 1}} {
			want := fmt.Sprintf(`{"score":%d,"votes":%d,"vote":"%s"}`, b.Timestamp.Unix()+432*int64(step.votes), step.votes, step.vote)
			if got := strings.TrimSpace(s.vote(200, b.Number(), step.vote)); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		s.vote(200, a.Number(), "down")
		for name, want := range map[string]string{"score": "b 1 up, a -1 down", "time": "a -1 down, b 1 up"} {
			if got := s.titles(name); got != want {
				t.Errorf("the list %s has %s, want %s", name, got, want)
			}
		}
		s.vote(400, a.Number(), "sideways")
		s.send(404, "GET", "/api/v1/lists/nothing", "")
		for _, query := range []string{"cursor=!", "limit=0", "limit=201", "limit=x", "user=ann", "page=2"} {
			s.send(400, "GET", "/api/v1/lists/score?"+query, "")
		}
		s.Visitor = feed.Visitor{}
		s.send(401, "GET", "/api/v1/lists/score", "")
		s.vote(401, a.Number(), "up")
	})
}

// 002-16, 002-17: the guards in their order.
func TestVotesAreRefused(t *testing.T) {
	each(t, func(s *site) {
		e := s.save(storetest.Harbour, "removed", s.Clock.Time.Add(-30*24*time.Hour))
		old, fresh := s.save(storetest.Harbour, "old", e.Timestamp), s.save(storetest.Harbour, "new", s.Clock.Time)
		for _, unknown := range []string{"999999", "x", "12345678901234567890"} {
			s.vote(404, unknown, "up")
		}
		s.vote(409, e.Number(), "up")
		_, err := s.TakeDownEntry(t.Context(), e.ID)
		s.ok(err)
		s.ok(s.RemoveRanked(t.Context(), e.ID))
		s.vote(410, e.Number(), "up")
		webtest.Contains(t, s.vote(409, old.Number(), "none"), "voting-closed", `"voting on this entry has closed: its votes are final 7 d after its time"`)
		if got := s.titles("score"); got != "" {
			t.Errorf("the list has %s", got)
		}
		for err = nil; err == nil; {
			err = s.CountVote(t.Context(), s.ann)
		}
		rec := s.Call("PUT", "/api/v1/entries/"+fresh.Number()+"/vote", `{"vote": "up"}`)
		if wait, _ := strconv.Atoi(rec.Header().Get("Retry-After")); rec.Code != 429 || wait < 1 || wait > 3600 {
			t.Errorf("too many votes: %d %v", rec.Code, rec.Header())
		} else {
			webtest.Contains(t, rec.Body.String(), `"detail":"an account can vote 600 times in an hour"`)
		}
	})
}

func TestMembersSeeAndVoteOnEntriesOfTheirSourcesOnly(t *testing.T) {
	each(t, func(s *site) {
		own, other := s.save(storetest.Harbour, "own", s.Clock.Time), s.save(yard, "other", s.Clock.Time)
		webtest.Contains(t, s.vote(404, other.Number(), "up"), `"`+other.ID+` not found among the entries that the account may see"`)
		s.as(feed.RoleViewer)
		s.vote(200, other.Number(), "up")
		s.vote(200, own.Number(), "up")
		if got := s.titles("score"); got != "other 1 up, own 1 up" {
			t.Errorf("a viewer sees %s", got)
		}
		s.as(feed.RoleMember)
		if got := s.titles("score"); got != "own 1 up" {
			t.Errorf("a member sees %s", got)
		}
	})
}

func TestVoteCanAlwaysBeTakenBack(t *testing.T) {
	each(t, func(s *site) {
		first, second := s.save(storetest.Harbour, "first", s.Clock.Time), s.save(storetest.Harbour, "second", s.Clock.Time)
		s.vote(200, first.Number(), "up")
		s.vote(200, second.Number(), "down")
		var err error
		for err == nil {
			err = s.CountVote(s.t.Context(), s.ann)
		}
		s.vote(429, second.Number(), "up")
		webtest.Contains(t, s.vote(200, second.Number(), "none"), `"votes":0,"vote":"none"`)
		s.vote(429, second.Number(), "none") // there is nothing to take back
		s.ok(s.Unfollow(s.t.Context(), s.ann, storetest.Harbour))
		s.vote(404, first.Number(), "down")
		webtest.Contains(t, s.vote(200, first.Number(), "none"), `"votes":0,"vote":"none"`)
		s.vote(404, first.Number(), "none")
		s.vote(404, first.Number(), "up")
	})
}

func TestPageEndsAlthoughNoEntryIsVisible(t *testing.T) {
	each(t, func(s *site) {
		for i := range 30 {
			s.ok(s.RankEntry(t.Context(), s.save(yard, fmt.Sprint(i), s.Clock.Time)))
		}
		s.ok(s.RankEntry(t.Context(), s.save(storetest.Harbour, "last", s.Clock.Time.Add(-time.Hour))))
		page := webtest.Get[feed.Page[feed.Ranked]](t, s.Desk, "/api/v1/lists/time?limit=2")
		if len(page.Items) != 0 || page.Next == "" {
			t.Errorf("the first page is %+v", page)
		}
		if got := s.titles("time"); got != "last 0 none" {
			t.Errorf("all pages have %s", got)
		}
	})
}

func TestPagesShowWhatAnyoneMaySee(t *testing.T) {
	each(t, func(s *site) {
		_, _, err := s.AddSource(t.Context(), feed.Source{URL: storetest.Harbour, About: feed.About{Title: "The <harbour>"}})
		s.ok(err)
		secret := "http://secret.example/feed.xml"
		_, _, err = s.AddSource(t.Context(), feed.Source{URL: secret, Request: feed.Request{Username: "ann", Password: "x"}})
		s.ok(err)
		for i := range 30 {
			s.ok(s.AddToGroup(t.Context(), "sport", s.save(storetest.Harbour, fmt.Sprintf("<b>entry %d.", i), s.Clock.Time.Add(-time.Duration(i)*time.Hour))))
		}
		s.ok(s.AddToGroup(t.Context(), "sport", s.save(secret, "hidden", s.Clock.Time)))
		const follow, nav = `To vote on an entry, <a href="/read">follow its source</a>.`, `>lists</a>`
		if page := s.send(200, "GET", "/lists/sport", ""); strings.Contains(page, follow) || !strings.Contains(page, nav) {
			t.Errorf("the page of a member who follows all sources is\n%s", page)
		}
		s.ok(s.Unfollow(t.Context(), s.ann, storetest.Harbour))
		webtest.Contains(t, s.send(200, "GET", "/lists/sport", ""), "0 votes", follow)
		s.Visitor = feed.Visitor{}
		index := s.send(200, "GET", "/lists", "")
		webtest.Contains(t, index, `href="/lists/sport"`, `href="/lists/score"`, `href="/lists/sport.rss"`)
		first := s.send(200, "GET", "/lists/sport", "")
		webtest.Contains(t, first, "&lt;b&gt;entry 0.", "entry 24.", "The &lt;harbour&gt;", `type="application/atom&#43;xml"`, `rel="next"`)
		next := regexp.MustCompile(`href="(/lists/sport\?cursor=[^"]+)" rel="next"`).FindStringSubmatch(first)
		if next == nil || strings.Contains(first, "entry 25.") {
			t.Fatalf("the first page is\n%s", first)
		}
		second := s.send(200, "GET", html.UnescapeString(next[1]), "")
		webtest.Contains(t, second, "entry 25.", "entry 29.", "First page")
		if strings.Contains(first, follow) || strings.Contains(first, nav) || strings.Contains(first+second, "hidden") || strings.Contains(second, "entry 24.") {
			t.Errorf("the second page is\n%s", second)
		}
		s.send(404, "GET", "/lists/none", "")
		for _, path := range []string{"/lists/sport?cursor=!", "/lists?x=1", "/lists/sport?page=2"} {
			s.send(422, "GET", path, "")
		}
		s.send(200, "GET", "/lists/sport?did=voted", "") // as the form of a vote leads back
	})
}

func TestPagesCanRequireAnAccount(t *testing.T) {
	each(t, func(s *site) {
		s.Mount(lists.New(s.Newsroom, s.Kit, lists.Options{Open: func() bool { return false }}))
		s.send(200, "GET", "/lists", "")
		s.Visitor = feed.Visitor{}
		for _, path := range []string{"/lists", "/lists/score"} {
			if rec := s.Call("GET", path, ""); rec.Code == 200 {
				t.Errorf("%s is open: %s", path, rec.Body)
			}
		}
	})
}

// 002-18, 002-22, 002-23, 002-24
func TestEditorsChangeGroups(t *testing.T) {
	each(t, func(s *site) {
		a, b := s.save(storetest.Harbour, "a", s.Clock.Time), s.save(storetest.Harbour, "b", s.Clock.Time)
		path := func(group string, e *feed.Entry) string { return "/api/v1/groups/" + group + "/entries/" + e.Number() }
		s.send(403, "PUT", path("sport", a), "")
		s.as(feed.RoleEditor)
		for _, e := range []*feed.Entry{a, b} {
			s.send(204, "PUT", path("sport", e), "")
		}
		for _, name := range []string{"Sport", "sport.", "score"} {
			s.send(400, "PUT", path(name, a), "")
		}
		s.send(400, "PUT", path("sport", a)+"?position=1", "")
		s.send(404, "PUT", "/api/v1/groups/sport/entries/999999", "")
		s.vote(200, b.Number(), "up")
		if got := s.titles("sport"); got != "b 1 up, a 0 none" {
			t.Errorf("the group has %s", got)
		}
		if got := s.send(200, "GET", "/api/v1/groups", ""); !strings.Contains(got, `{"items":[{"name":"sport"}]}`) {
			t.Errorf("the groups are %s", got)
		}
		webtest.Contains(t, s.send(200, "GET", "/api/v1/lists", ""), `{"name":"sport","kind":"group","title":"sport"}`, `"name":"score"`)
		_, err := s.TakeDownEntry(t.Context(), b.ID)
		s.ok(err)
		if got := s.titles("sport"); got != "a 0 none" {
			t.Errorf("after a takedown the group has %s", got)
		}
		s.send(204, "DELETE", path("sport", a), "")
		if got := s.titles("sport"); got != "" {
			t.Errorf("the group has %s", got)
		}
		s.send(204, "DELETE", "/api/v1/groups/sport", "")
		s.send(404, "DELETE", "/api/v1/groups/sport", "")
		if got := s.send(200, "GET", "/api/v1/groups", ""); !strings.Contains(got, `{"items":[]}`) {
			t.Errorf("the groups are %s", got)
		}
		audited, err := s.Audit(t.Context(), "", 9)
		s.ok(err)
		var actions []string
		for i := range audited {
			actions = append(actions, audited[i].Action)
		}
		if want := []string{"group_delete", "group_remove", "group_add", "group_add"}; !slices.Equal(actions, want) {
			t.Errorf("the audit log has %v, want %v", actions, want)
		}
	})
}

// run runs Lists until the test ends.
func (s *site) run() {
	ctx, cancel := context.WithCancel(s.t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = s.lists.Run(ctx) })
	s.t.Cleanup(func() {
		cancel()
		running.Wait()
	})
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 30 s: %s", what)
		}
	}
}

// 002-10, 002-25
func TestListsFollowTheSignals(t *testing.T) {
	s := &site{Newsroom: storetest.EmptyNewsroom(t), t: t}
	s.Desk = webtest.Over(s.Newsroom, s.Clock.Now)
	s.lists = lists.New(s.Newsroom, s.Kit, lists.Options{})
	url := feed.MemberURL(5)
	_, _, err := s.AddSource(t.Context(), feed.Source{URL: url})
	s.ok(err)
	s.run()
	post, other := s.save(url, "post", s.Clock.Time), s.save(storetest.Harbour, "other", s.Clock.Time)
	votes := func(e *feed.Entry) int {
		scores, err := s.Scores(t.Context(), 5, []string{e.ID})
		s.ok(err)
		if score, ok := scores[e.ID]; ok {
			return score.Votes
		}
		return -1
	}
	eventually(t, "the post has the vote of its author", func() bool { return votes(post) == 1 })
	edited := feed.Document{Entries: []feed.Entry{{FeedURL: url, GUID: post.GUID, Title: "edited", Timestamp: s.Clock.Time}}}
	_, err = s.SaveEntries(t.Context(), feed.Claim{Source: feed.Source{ID: feed.SourceID(url), URL: url}}, edited)
	s.ok(err)
	eventually(t, "the article has the new title", func() bool {
		return s.Raw.StringMap("HGETALL", "article:"+post.Number())["title"] == "edited"
	})
	for _, e := range []*feed.Entry{post, other} {
		_, err := s.TakeDownEntry(t.Context(), e.ID)
		s.ok(err)
		eventually(t, "the entry is marked as removed", func() bool {
			removed, err := s.WasTakenDown(t.Context(), e.ID)
			return err == nil && removed && votes(e) == -1
		})
	}
}

// failing is a store that fails for one entry.
type failing struct {
	*storetest.Newsroom
	fail func() error
}

func (f failing) RemoveRanked(ctx context.Context, id string) error {
	if id == "Entry:1" {
		return f.fail()
	}
	return f.Newsroom.RemoveRanked(ctx, id)
}

func TestSignalThatFailsHoldsUpNoOther(t *testing.T) {
	for name, fail := range map[string]func() error{"error": func() error { return errors.New("test") }, "panic": func() error { panic("test") }} {
		t.Run(name, func(t *testing.T) {
			n := storetest.EmptyNewsroom(t)
			s := &site{Newsroom: n, t: t, Desk: webtest.Over(n, n.Clock.Now)}
			panicked := make(chan string, 1)
			s.lists = lists.New(failing{n, fail}, s.Kit, lists.Options{OnPanic: func(component string) { panicked <- component }})
			s.run()
			for _, title := range []string{"first", "second"} {
				_, err := s.TakeDownEntry(t.Context(), s.save(storetest.Harbour, title, s.Clock.Time).ID)
				s.ok(err)
			}
			eventually(t, "the second entry is marked as removed", func() bool {
				removed, err := s.WasTakenDown(t.Context(), "Entry:2")
				return err == nil && removed
			})
			if len(panicked) > 0 != (name == "panic") {
				t.Error("a panic is not reported, or without reason")
			}
		})
	}
}

func TestSweepRemovesEntriesThatExpired(t *testing.T) {
	each(t, func(s *site) {
		var all []*feed.Entry
		for i := range 7 {
			e := s.save(storetest.Harbour, fmt.Sprint(i), s.Clock.Time.Add(-time.Duration(i)*time.Second))
			s.vote(200, e.Number(), "up")
			all = append(all, e)
		}
		_, err := s.ExpireEntries(t.Context(), storetest.Harbour, 2)
		s.ok(err)
		s.ok(s.lists.Sweep(t.Context()))
		if n := s.Raw.Int("ZCARD", "time:"); n != 2 {
			t.Errorf("%d entries are left", n)
		}
		s.vote(404, all[6].Number(), "up")
		if got := s.titles("score"); got != "0 1 up, 1 1 up" {
			t.Errorf("the list has %s", got)
		}
	})
}
