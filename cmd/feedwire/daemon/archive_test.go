package daemon

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// How much there is in an archive.
const (
	manySources  = 2000
	manyArticles = 10_000
	manyOthers   = 200 // subscriptions, accounts, tokens, sessions, changes, dead letters
)

// archive is a store with much of everything, in which ann, an admin, is signed in.
type archive struct {
	*store.Store
	redis   *storetest.Redigo
	cookie  *http.Cookie
	source  string // id of one
	article string // uuid of a large one
	signal  string // id of one
	sub     feed.Subscription
	job     string // id of an import
}

func newArchive(t testing.TB, reg prometheus.Registerer) *archive {
	t.Helper()
	dial := storetest.Redis(t)
	c := &archive{
		Store:  storetest.New(t, store.Options{Dial: dial, Registerer: reg}),
		redis:  storetest.Commands(t, dial),
		cookie: &http.Cookie{Name: "feedwire", Value: "1.secret"},
		source: feed.SourceID(archivedSource(1)), job: strings.Repeat("a", 26),
	}
	c.fillSources(t)
	c.fillArticles(t)
	c.fillHub(t)
	c.fillPeople(t)
	return c
}

func archivedSource(n int) string { return fmt.Sprintf("https://s%04d.example/feed.xml", n) }

// filled fails the test where filling the store fails.
func filled(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// times does something n times, much of it at once.
func times(n int, do func(i int) error) error {
	var all errgroup.Group
	all.SetLimit(32)
	for i := range n {
		all.Go(func() error { return do(i) })
	}
	return all.Wait()
}

func (c *archive) fillSources(t testing.TB) {
	t.Helper()
	filled(t, times(manySources, func(i int) error {
		_, _, err := c.Sources.AddSource(t.Context(), feed.Source{
			URL: archivedSource(i), Feeds: []string{"production"}, About: feed.About{Title: fmt.Sprintf("Source %d", i)},
			Request: feed.Request{Headers: map[string]string{"X-Key": "k"}}, Categories: []string{"News/Local"},
		})
		return err
	}))
	work := feed.Job{ID: c.job, State: feed.JobWaiting, Created: time.Now(), Updated: time.Now(), Total: manySources}
	filled(t, c.Ops.StartJob(t.Context(), work, []byte("{}"), 1))
	claim, err := c.Ops.ClaimJob(t.Context())
	filled(t, err)
	results := make([]feed.JobResult, manySources)
	for i := range results {
		results[i] = feed.JobResult{Title: "A source", URL: archivedSource(i), Outcome: feed.JobKnown}
	}
	claim.Job.State, claim.Job.Known = feed.JobDone, manySources
	filled(t, c.Ops.SaveJob(t.Context(), claim, 0, results))
	c.fail(t, 100)
}

// fail has the polls of so many sources fail.
func (c *archive) fail(t testing.TB, many int) {
	t.Helper()
	claims, err := c.Sources.ClaimSources(t.Context(), many, time.Minute)
	if err != nil || len(claims) != many {
		t.Fatalf("claimed %d, %v", len(claims), err)
	}
	for i, claim := range claims {
		state := feed.PollState{Errors: i, ErrorClass: "timeout", ErrorText: "no answer", NextPoll: time.Now().Add(time.Hour)}
		if err := c.Sources.FinishPoll(t.Context(), &claim, &feed.PollResult{State: state, Poll: feed.Poll{Time: time.Now(), Class: "timeout"}}); err != nil {
			t.Fatal(err)
		}
	}
}

func (c *archive) fillArticles(t testing.TB) {
	t.Helper()
	ctx, now := t.Context(), time.Now()
	c.article = feed.ArticleUUID(archivedSource(0), "g0")
	filled(t, times(manyArticles, func(i int) error {
		url, guid := archivedSource(i%manySources), fmt.Sprint("g", i)
		a := feed.Article{
			UUID: feed.ArticleUUID(url, guid), FeedURL: url, GUID: guid, Title: "A title of some length " + guid, Content: "<p>Some text of a story.</p>",
			Digest: guid, Updated: now, Canonical: "https://s.example/" + guid,
		}
		if a.UUID == c.article {
			a.Content = strings.Repeat(a.Content, 1000)
		}
		_, err := c.Articles.SaveArticle(ctx, a)
		if err == nil && i%20 == 0 {
			err = wiretest.PublishArticle(ctx, c.Store, a.UUID, "production")
		}
		return err
	}))
	for i := range manyOthers {
		filled(t, c.Entries.SaveEntry(ctx, &feed.Entry{
			FeedURL: archivedSource(1), GUID: fmt.Sprint("g", i), Title: "T", Content: "<p>text</p>", Timestamp: now.Add(time.Duration(i) * time.Second),
		}))
	}
	last, err := c.Signals.LastSignal(ctx)
	filled(t, err)
	c.signal = last
	visits := make([]feed.Visit, feed.MaxVisits)
	for i := range visits {
		visits[i] = feed.Visit{Time: now.Add(time.Duration(i-len(visits)) * 30 * time.Second), Client: "facebook", Status: http.StatusOK, Counted: true}
	}
	filled(t, c.Articles.AddVisits(ctx, "production", visits))
}

func (c *archive) fillHub(t testing.TB) {
	t.Helper()
	for i := range manyOthers {
		filled(t, c.Hub.Subscribe(t.Context(), &feed.Subscription{
			Topic: archivedSource(i % 100), Callback: fmt.Sprintf("https://c%d.example/", i), Kind: feed.KindWebSub,
		}))
	}
	some, err := c.Hub.Subscriptions(t.Context(), "", "", 1)
	filled(t, err)
	c.sub = some[0]
	for range manyOthers { // as finish_deliveries.lua writes them
		c.redis.Do("XADD", "hub:dead", "*", "subscription", c.sub.ID, "topic", c.sub.Topic, "first", 1, "last", 2, "failures", 9,
			"since", 1, "status", 500, "reason", "status", "time", 1)
	}
}

func (c *archive) fillPeople(t testing.TB) {
	t.Helper()
	ctx, now := t.Context(), time.Now()
	filled(t, c.People.AddAccount(ctx, feed.Account{Name: "ann", Role: feed.RoleAdmin, Created: now}))
	ann, err := c.People.Account(ctx, "ann")
	filled(t, err)
	filled(t, c.People.AddSession(ctx, feed.Session{
		Sum: feed.SessionSum("secret"), AccountID: ann.ID, Generation: ann.Generation, Created: now, Seen: now,
	}))
	for i := range manyOthers {
		filled(t, c.People.AddAccount(ctx, feed.Account{Name: fmt.Sprint("editor", i), Role: feed.RoleEditor, Created: now}))
		filled(t, c.Audit.AddAudit(ctx, feed.AuditEntry{Time: now, Who: "ann", Action: "source_add", Object: feed.Object{Kind: feed.ObjectSource, Name: archivedSource(i)}, After: "feeds production"}))
		if i < feed.MaxTokensOf {
			filled(t, c.People.AddToken(ctx, feed.Token{ID: fmt.Sprintf("%012x", i), Name: "nightly", Scopes: []feed.Scope{feed.ScopeRead}, Created: now}))
		}
		if i < 20 {
			filled(t, c.People.AddSession(ctx, feed.Session{Sum: feed.SessionSum(fmt.Sprint(i)), AccountID: ann.ID, Created: now, Seen: now}))
		}
	}
}
