package search_test

import (
	"context"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/publish/hypertext"
	searchroom "github.com/feedwire/feedwire/publish/search"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/search"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, storetest.IgnoreAnalysis()) }

const yard = "http://yard.example/feed.xml"

// site serves the search of an index to ann, who follows a source.
type site struct {
	*webtest.Desk
	*storetest.Newsroom
	t   *testing.T
	ann feed.Account
}

func newSite(t *testing.T) *site {
	t.Helper()
	n := storetest.EmptyNewsroom(t)
	s := &site{Desk: webtest.Over(n, n.Clock.Now), Newsroom: n, t: t}
	for _, url := range []string{storetest.Harbour, yard} {
		_, _, err := n.AddSource(t.Context(), feed.Source{URL: url, About: feed.About{Title: "The <" + url + ">"}})
		s.ok(err)
	}
	s.ok(n.AddAccount(t.Context(), feed.Account{Name: "ann", Role: feed.RoleMember}))
	var err error
	s.ann, err = n.Account(t.Context(), "ann")
	s.ok(err)
	_, err = n.Follow(t.Context(), s.ann.ID, feed.Follow{FeedURL: storetest.Harbour})
	s.ok(err)
	for _, url := range []string{feed.MemberURL(s.ann.ID), feed.MemberURL(s.ann.ID + 1)} {
		_, _, err := s.AddSource(t.Context(), feed.Source{URL: url})
		s.ok(err)
	}
	s.as(feed.RoleMember)
	return s
}

func (s *site) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// as makes ann send the following requests with the rights of a role.
func (s *site) as(role feed.Role) {
	s.Visitor = feed.Visitor{Name: "ann", Scopes: role.Scopes(), Account: s.ann}
}

// save stores an entry of a source.
func (s *site) save(feedURL, title, text string, age time.Duration, category ...string) *feed.Entry {
	s.t.Helper()
	e := &feed.Entry{FeedURL: feedURL, GUID: title, Title: title, Content: text, Timestamp: s.Clock.Time.Add(-age)}
	e.Set(feed.FieldCategories, strings.Join(category, ""))
	s.ok(s.SaveEntry(s.t.Context(), e))
	return e
}

// index builds an index of what is stored, serves it, and returns when it has all entries.
func (s *site) index() {
	s.t.Helper()
	x, err := search.New(s.Newsroom, search.Options{Dir: filepath.Join(s.t.TempDir(), "search"), Text: hypertext.PlainText, Gather: time.Millisecond})
	s.ok(err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- x.Run(ctx) }()
	s.t.Cleanup(func() {
		cancel()
		s.ok(<-done)
	})
	storetest.Await(s.t, 20*time.Second, "the index is complete", func() bool { return !x.Incomplete() })
	s.Mount(searchroom.New(s.Newsroom, x.Find, s.Kit))
}

// find returns the titles of all pages of a search by the API.
func (s *site) find(query string) string {
	s.t.Helper()
	var all []string
	for cursor := ""; ; {
		page := webtest.Get[searchroom.Results](s.t, s.Desk, "/api/v1/search?limit=2&q="+query+"&cursor="+cursor)
		for _, hit := range page.Items {
			all = append(all, hit.Entry.Title)
		}
		if cursor = page.Next; cursor == "" {
			return strings.Join(all, ", ")
		}
	}
}

// status fails the test unless a request gets a status. It returns the body.
func (s *site) status(status int, path string) string {
	s.t.Helper()
	rec := s.Call(http.MethodGet, path, "")
	if rec.Code != status {
		s.t.Fatalf("%s: got %d, want %d: %s", path, rec.Code, status, rec.Body)
	}
	return rec.Body.String()
}

func TestVisitorsFindWhatTheyMaySee(t *testing.T) {
	s := newSite(t)
	s.save(storetest.Harbour, "own", "<p>The <b>tide</b> is low</p>", time.Hour)
	s.save(storetest.Harbour, "old", "tide", 48*time.Hour)
	s.save(yard, "other", "tide", 2*time.Hour, "Sea life")
	post := s.save(feed.MemberURL(s.ann.ID+1), "post", "tide", 3*time.Hour)
	hidden := s.save(feed.MemberURL(s.ann.ID+1), "hidden", "tide", 4*time.Hour)
	mine := s.save(feed.MemberURL(s.ann.ID), "mine", "tide", 5*time.Hour, "Sea")
	kept := s.save(storetest.Harbour, "kept", "tide", 72*time.Hour)
	s.ok(s.AddSaved(t.Context(), s.ann.ID, kept.ID))
	s.index()
	for _, e := range []*feed.Entry{hidden, mine} {
		s.ok(s.HideEntry(t.Context(), feed.EntryRef{ID: e.ID, FeedURL: e.FeedURL}))
	}
	_, err := s.ExpireEntries(t.Context(), storetest.Harbour, 2)
	s.ok(err)
	_, err = s.TakeDownEntry(t.Context(), post.ID)
	s.ok(err)
	if got := s.find("tide"); got != "own, mine, old" {
		t.Errorf("a member finds %s", got)
	}
	s.as(feed.RoleViewer)
	if got := s.find("tide"); got != "own, other, mine, old" {
		t.Errorf("a viewer finds %s", got)
	}
	for query, want := range map[string]string{
		"tide&since=2026-11-20T00:00:00Z": "own, other, mine", "&until=2026-11-20T00:00:00Z": "old", "&category=Sea+life": "other", "&category=sea": "other, mine", "tide&source=" + feed.SourceID(yard): "other", "tide+-own": "other, mine, old",
		"ti*&source=" + yard: "other", "tide&order=relevance&source=" + feed.SourceID(yard): "other",
	} {
		if got := s.find(query); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
	s.Visitor.Account = feed.Account{}
	if got := s.find("tide"); got != "own, other, old" {
		t.Errorf("a token without an account finds %s", got)
	}
	s.as(feed.RoleMember)
	for _, query := range []string{
		"q=a&until=today", "category=" + strings.Repeat("x", feed.MaxSearch+1), "q=a&page=2", "q=a&limit=201", "q=a&cursor=!", "q=a&order=size", "q=a&since=today", "q=after:today",
		"q=a&source=" + feed.SourceID(yard), "q=a&source=000000000000", "q=a&source=x",
	} {
		s.status(http.StatusBadRequest, "/api/v1/search?"+query)
	}
	s.Visitor = feed.Visitor{}
	s.status(http.StatusUnauthorized, "/api/v1/search?q=tide")
}

func TestPageShowsPassages(t *testing.T) {
	s := newSite(t)
	for range 30 {
		s.Clock.Time = s.Clock.Time.Add(time.Minute)
		s.save(storetest.Harbour, "Quay "+s.Clock.Time.Format("15:04"), "<p>Ships &amp; <i>cranes</i></p>", 0)
	}
	s.index()
	webtest.Contains(t, s.status(http.StatusOK, "/search"), `placeholder="Words, &quot;a phrase&quot;, author:name"`, `<code>harb*</code>`)
	first := s.status(http.StatusOK, "/search?q=ships")
	webtest.Contains(t, first, `value="ships"`, `<mark>Ships</mark> &amp; cranes`, `The &lt;`+storetest.Harbour, `rel="next"`)
	next := regexp.MustCompile(`href="(/search\?[^"]+)" rel="next"`).FindStringSubmatch(first)
	second := s.status(http.StatusOK, strings.ReplaceAll(next[1], "&amp;", "&"))
	if got := strings.Count(first, "<mark>") + strings.Count(second, "<mark>"); got != 30 || !strings.Contains(second, "First page") {
		t.Errorf("the pages have %d entries: %s", got, second)
	}
	if strings.Contains(first, "All about this entry") {
		t.Error("the page leads a member to a page of the desk")
	}
	webtest.Contains(t, s.status(http.StatusOK, "/search?q=submarine"), "No entry has these words.")
	webtest.Contains(t, s.status(http.StatusUnprocessableEntity, "/search?q=after:x"), "Write a date as in after:2026-11-28", `value="after:x"`)
	s.as(feed.RoleViewer)
	webtest.Contains(t, s.status(http.StatusOK, "/search?q=ships&source="+feed.SourceID(storetest.Harbour)), "Only in", "All about this entry")
}

func TestSearchCanBeDisabled(t *testing.T) {
	s := newSite(t)
	s.Mount(searchroom.New(s.Newsroom, nil, s.Kit))
	webtest.Contains(t, s.status(http.StatusForbidden, "/search"), "search.enabled")
	webtest.Contains(t, s.status(http.StatusForbidden, "/api/v1/search?q=a"), "search.enabled")
}
