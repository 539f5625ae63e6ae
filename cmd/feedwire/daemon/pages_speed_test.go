//go:build !race

package daemon

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sys/unix"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/store/feed"
)

// What a page may take of the store, of the processor, and of the line.
const (
	mostExchanges  = 3
	mostOfArticles = 4  // exchanges of a list of articles: their places, themselves, what they are about, votes
	mostOfFirst    = 15 // exchanges of the overview, which reads each noun, most of them side by side
	mostOfRead     = 13 // exchanges of a timeline: follows, their sources, cache, entries, texts, marks, numbers of unread, and what the cache does not have
	mostOfSite     = 10 // exchanges of the community: karma, places, submissions, a thread, authors, votes, saved ones, replies, reports or the profile
	mostOfList     = 7  // exchanges of lists: their names, places, entries, their sources, scores, votes, what the visitor follows
	mostTime       = 50 * time.Millisecond
	mostBytes      = 100_000 // with all that it loads
	mostAssets     = 60_000  // that part of them which browsers keep
)

// exchanges is how often the store was asked so far.
func exchanges(t *testing.T, reg prometheus.Gatherer) (n float64) {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == "feedwire_redis_commands_total" {
			for _, m := range family.GetMetric() {
				n += m.GetCounter().GetValue()
			}
		}
	}
	return n
}

// processorTime is how much of the processor something takes. Unlike the time on the wall it does not grow with what else
// the machine has to do.
func processorTime(t *testing.T, do func()) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	now := func() time.Duration {
		var spec unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &spec); err != nil {
			t.Fatal(err)
		}
		return time.Duration(spec.Nano())
	}
	start := now()
	do()
	return now() - start
}

// fetched is an answer to a browser, with its cookie.
func fetched(t testing.TB, handler http.Handler, path string, cookie *http.Cookie) *httptest.ResponseRecorder {
	t.Helper()
	req, rec := httptest.NewRequest(http.MethodGet, path, nil), httptest.NewRecorder()
	req.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd")
	req.AddCookie(cookie)
	if handler.ServeHTTP(rec, req); rec.Code != http.StatusOK {
		t.Fatalf("GET %s: %d %.300s", path, rec.Code, rec.Body)
	}
	return rec
}

// loaded is what all files together weigh that pages of the desk load, as they are transferred. Browsers keep them.
func loaded(t *testing.T, handler http.Handler, cookie *http.Cookie) (bytes int) {
	t.Helper()
	page := httptest.NewRecorder()
	req := httptest.NewRequest(http.MethodGet, "/signals", nil)
	req.AddCookie(cookie)
	handler.ServeHTTP(page, req)
	paths := regexp.MustCompile(`/assets/[^"]+`).FindAllString(page.Body.String(), -1)
	if len(paths) < 3 {
		t.Fatalf("/signals loads %v only", paths)
	}
	for _, path := range paths {
		rec := fetched(t, handler, path, cookie)
		if keep := rec.Header().Get("Cache-Control"); !strings.Contains(keep, "immutable") {
			t.Errorf("%s is not kept: %q", path, keep)
		}
		bytes += rec.Body.Len()
	}
	return bytes
}

// blocker is a validator that blocks articles.
type blocker []string

func (blocker) Blocked(*feed.Article, string) string { return "it has no text" }
func (blocker) Verdict(*feed.Article, string, func() (feed.Article, error)) (string, error) {
	return "it has no text", nil
}
func (b blocker) BlockedArticles(string) []string { return b }

// 003-1: each page but the overview, lists of articles, timelines, lists, the community, accounts, tokens and topics asks the store at most three times, and is made in less than 50 ms
// of processor time, among 10,000 articles and 2,000 sources; and it is light.
func TestPagesAreQuickHoweverMuchThereIs(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	c := newArchive(t, reg)
	blocked := make([]string, 200)
	for i := range blocked {
		blocked[i] = feed.ArticleUUID(archivedSource(i), fmt.Sprint("g", i))
	}
	outgoing := []feed.Outgoing{
		{Type: "production", RetireAfter: feed.ImportAfter, Window: feed.DefaultWindow}, {Type: "development", RetireAfter: 4, Window: feed.DefaultWindow},
	}
	a := deskOver(c.Store)
	a.publisher = publish.New(c.Articles, outgoing, publish.Options{})
	a.mountDesk(outgoing, nil, blocker(blocked))
	handler := a.kit
	assets := loaded(t, handler, c.cookie)
	t.Logf("all pages load %d bytes that are kept", assets)
	if assets > mostAssets {
		t.Errorf("pages load %d bytes of files, want at most %d", assets, mostAssets)
	}
	local, _, err := c.Sources.AddSource(t.Context(), feed.Source{URL: feed.LocalURL("notes")})
	filled(t, err)
	note := feed.Entry{FeedURL: local.URL, GUID: "1", Title: "A note", Timestamp: time.Now()}
	filled(t, c.Entries.SaveEntry(t.Context(), &note))
	entry := "/entries/" + note.Number()
	filled(t, times(500, func(i int) error {
		_, err := c.Timelines.Follow(t.Context(), 1, feed.Follow{FeedURL: archivedSource(i)})
		return err
	}))
	filled(t, times(30, func(i int) error { // more than a page of a list
		e := feed.Entry{FeedURL: local.URL, GUID: fmt.Sprint("listed ", i), Title: fmt.Sprint("Listed ", i), Timestamp: time.Now()}
		if err := c.Entries.SaveEntry(t.Context(), &e); err != nil {
			return err
		}
		_, err := c.Rankings.Vote(t.Context(), &e, 1, feed.VoteUp)
		return err
	}))
	mine, _, err := c.Sources.AddSource(t.Context(), feed.Source{URL: feed.MemberURL(1)})
	filled(t, err)
	submission := feed.Entry{FeedURL: mine.URL, GUID: "1", Title: "A submission", Link: "https://example.org/story", Timestamp: time.Now()}
	filled(t, c.Entries.SaveEntry(t.Context(), &submission))
	filled(t, c.Community.Submit(t.Context(), &submission, &feed.Submission{Title: submission.Title, URL: submission.Link}, true))
	n, _ := strconv.ParseInt(submission.Number(), 10, 64)
	_, err = c.Community.AddComment(t.Context(), n, 1, feed.NoParent, "A comment")
	filled(t, err)
	_, err = c.Rankings.SaveList(t.Context(), feed.EntryList{Name: "picks", Kind: feed.ListArranged, Title: "Picks", Version: feed.ListNew})
	filled(t, err)
	_, err = c.Rankings.PlaceInList(t.Context(), "picks", &note, feed.ListTarget{}, "")
	filled(t, err)
	news, comment := "/news/"+submission.Number(), "/"+submission.Number()+"/1"
	unseen := pagePatterns(t)
	delete(unseen.patterns, "GET /login")          // whoever is signed in is led on
	delete(unseen.patterns, "GET /welcome")        // the same
	delete(unseen.patterns, "GET /sign-up")        // the same
	delete(unseen.patterns, "GET /reset-password") // it needs mail
	delete(unseen.patterns, "GET /search")         // it asks the index, which store/search measures
	for _, path := range []string{
		"/", "/inbox", "/articles/" + c.article + "/text", "/articles", "/articles?feed=production&state=published", "/articles?q=g77", "/articles?q=nothing", "/articles?state=blocked", "/articles/" + c.article,
		"/sources", "/sources?q=source+19", "/sources?state=active&page=7", "/sources/" + c.source, "/sources/" + c.source + "/edit", "/sources/add", "/sources/import",
		"/imports/" + c.job, "/feeds", "/feeds/production", "/signals", "/signals?kind=post_created&q=s0001", "/signals?q=nothing",
		"/signals/" + c.signal, "/subscriptions", "/subscriptions?topic=" + feed.TopicID(c.sub.Topic), "/topics/" + feed.TopicID(c.sub.Topic), "/subscriptions/" + c.sub.ID,
		"/sources/" + local.ID + "/entries/add", entry, entry + "/edit", entry + "/remove", "/dead-letters", "/settings", "/users", "/tokens", "/audit", "/account", "/read", "/read?layout=full",
		"/read/saved", "/read" + entry, "/default-follows", "/lists", "/lists/time", "/lists/picks/arrange", "/lists/picks/delete", entry + "/lists",
		"/community", "/community/latest", "/community" + news, "/community/comment" + comment, "/community/user/ann", "/community/usernews/ann", "/community/usercomments/ann",
		"/community/about", "/community/saved", "/community/replies", "/community/submit", "/community/editnews/" + submission.Number(), "/community/reply" + comment, "/community/editcomment" + comment,
		"/community/report/" + submission.Number(), "/community/report" + comment, "/community/moderation", "/community/moderation/review", "/community/moderation/bans", "/community/moderation/decisions",
		"/community/moderation/invitations/ann",
	} {
		unseen.look(path)
		var took []time.Duration
		var asked float64
		var size int
		for range 5 { // other tests of this process take time, too
			before := exchanges(t, reg)
			took = append(took, processorTime(t, func() { size = fetched(t, handler, path, c.cookie).Body.Len() }))
			asked = exchanges(t, reg) - before
		}
		least := slices.Min(took)
		t.Logf("%-45s %v exchanges, %s of the processor, %d bytes", path, asked, least.Round(100*time.Microsecond), size)
		most := mostExchanges
		switch path {
		case "/":
			most = mostOfFirst
		case "/read", "/read/saved", "/read?layout=full", "/read" + entry:
			most = mostOfRead
		case "/lists", "/lists/time", "/lists/picks/arrange", entry + "/lists":
			most = mostOfList
		case "/account":
			most += 2 // passwords of apps, the profile
		case "/tokens", "/users", "/topics/" + feed.TopicID(c.sub.Topic):
			most++ // accounts with tokens or passwords of apps, a topic with its versions
		}
		if path == "/inbox" || strings.HasPrefix(path, "/articles") {
			most = mostOfArticles
		}
		if strings.HasPrefix(path, "/community") {
			most = mostOfSite
		}
		if asked > float64(most) {
			t.Errorf("%s asks the store %v times, want at most %d", path, asked, most)
		}
		if least > mostTime {
			t.Errorf("%s takes %s of the processor, want at most %s", path, least, mostTime)
		}
		if size+assets > mostBytes {
			t.Errorf("%s has %d bytes, and %d with all that it loads, want at most %d", path, size, size+assets, mostBytes)
		}
	}
	delete(unseen.patterns, "GET /{$}") // it has a test of its own
	for pattern := range unseen.patterns {
		t.Errorf("the page %s is not among those that are measured", pattern)
	}
}

// The inbox with what feeds would block, among 14,400 articles of 2,000 sources, of which 100 fail.
func BenchmarkInbox(b *testing.B) {
	c := newArchive(b, prometheus.NewRegistry())
	filled(b, times(14_400-manyArticles, func(i int) error {
		url, guid := archivedSource(i%manySources), fmt.Sprint("more ", i)
		_, err := c.Articles.SaveArticle(b.Context(), feed.Article{
			UUID: feed.ArticleUUID(url, guid), FeedURL: url, GUID: guid, Title: "A title of some length " + guid, Digest: guid,
			Canonical: "https://s.example/" + guid, Content: strings.Repeat("<p>Some text of a story.</p>", 100),
			Published: time.Now().Add(-time.Duration(i) * time.Minute),
		})
		return err
	}))
	outgoing := []feed.Outgoing{{Type: "production", Profile: "instant-articles", RetireAfter: feed.ImportAfter, Window: feed.DefaultWindow}}
	a := deskOver(c.Store)
	a.publisher = publish.New(c.Articles, outgoing, publish.Options{})
	a.mountDesk(outgoing, nil, a.publisher)
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		fetched(b, a.kit, "/inbox", c.cookie)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}
