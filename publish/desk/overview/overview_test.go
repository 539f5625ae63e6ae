package overview_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/publish/desk/overview"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// state is a newsroom with a given state of the hub, the outbox, imports and Redis.
type state struct {
	*storetest.Newsroom
	hub     feed.HubState
	pending time.Time // of the oldest signal that is not processed
	imports []feed.Job
	minutes []feed.Minute
	redis   feed.RedisState
}

func (s *state) HubState(context.Context) (feed.HubState, error) { return s.hub, nil }

func (s *state) OutboxState(ctx context.Context) (feed.OutboxState, error) {
	outbox, err := s.Newsroom.OutboxState(ctx)
	outbox.OldestPending = s.pending
	return outbox, err
}

func (s *state) Jobs(context.Context, int) ([]feed.Job, error) { return s.imports, nil }

func (s *state) Minutes(context.Context) ([]feed.Minute, error) { return s.minutes, nil }

func (s *state) RedisState(context.Context) (feed.RedisState, error) { return s.redis, nil }

// calm returns a store without problems.
func calm(t *testing.T) *state {
	t.Helper()
	s := &state{
		Newsroom: storetest.NewNewsroom(t), minutes: make([]feed.Minute, feed.OverviewMinutes),
		redis: feed.RedisState{MemoryUsed: 4_404_019, MemoryLimit: 100 << 20, AppendOnly: true},
	}
	for _, url := range []string{storetest.Slow, storetest.Gone} {
		if err := s.RemoveSource(t.Context(), feed.SourceID(url), 0); err != nil {
			t.Fatal(err)
		}
	}
	s.visit(t, feed.Visit{Time: webtest.Noon().Add(-8 * time.Second), Client: "facebook", Status: 200, Counted: true})
	return s
}

// visit adds a visit of each outgoing feed.
func (s *state) visit(t *testing.T, v feed.Visit) {
	t.Helper()
	for _, typ := range []string{"production", "development"} {
		if err := s.AddVisits(t.Context(), typ, []feed.Visit{v}); err != nil {
			t.Fatal(err)
		}
	}
}

// leave removes all visits.
func (s *state) leave() { s.Raw.Do("DEL", "visits:production", "visits:development") }

// poll makes the last poll of Site end in a state.
func (s *state) poll(t *testing.T, state feed.PollState) {
	t.Helper()
	s.Polled(t, feed.SourceID(storetest.Site), feed.About{}, state)
}

func options() overview.Options {
	base := feed.Outgoing{Profile: "instant-articles", Window: feed.DefaultWindow, RetireAfter: feed.ImportAfter, MaxItems: feed.DefaultItems}
	production, development := base, base
	production.Type, development.Type = "production", "development"
	return overview.Options{
		Feeds:      feed.OutgoingFeeds{production, development},
		Blocked:    func(*feed.Article, string) string { return "" },
		Candidates: func(string) []string { return nil },
	}
}

// overviewPage returns the page of an admin.
func overviewPage(t *testing.T, store overview.Store, opts overview.Options) string {
	t.Helper()
	d := webtest.New(webtest.Noon)
	d.Mount(overview.New(store, d.Kit, opts))
	return d.As(t, "ann", feed.RoleAdmin).Get("/", http.StatusOK)
}

func TestOverviewWithoutProblems(t *testing.T) {
	store := calm(t)
	store.minutes[20] = feed.Minute{Polls: 200, Failed: 1, Created: 3, Modified: 1, Signals: 4, Published: 2}
	store.minutes[59] = feed.Minute{Polls: 40, Created: 9, Signals: 9, Impressions: 12, Imported: 3}
	html := overviewPage(t, store, options())
	webtest.Contains(t, html,
		"Everything is OK.", "<title>feedwire</title>", `data-live-page="/live"`,
		`<a href="/sources">Sources</a>`, "1 active", `<a href="/sources?state=paused">1 paused</a>`, "240 polls in the last hour, 1 failed",
		`<a href="/feeds/production">production</a>`, "3 articles", "last fetched <time", "8 s ago", "30 min ago",
		`<a href="/signals">Signals</a>`, "all processed", "12 stored",
		`<p class="main well">OK</p>`, "4.2 MiB of 100 MiB", "every write is on disk",
		"Entries in the last hour: 12 new, 1 changed", "13 sent", "2 published, 3 imported", "12 counted",
		"What the new tide tables say", "embedded redis",
	)
	if n := strings.Count(html, `<rect class="counted"`); n != 6 {
		t.Errorf("the charts have %d filled columns, want 6", n)
	}
	if n := strings.Count(html, `<rect class="other"`); n != 2 {
		t.Errorf("the charts have %d outlined columns, want 2", n)
	}
	for _, wrong := range []string{"dead letter", "http-equiv", "<script>"} {
		if strings.Contains(html, wrong) {
			t.Errorf("the page says %q", wrong)
		}
	}
}

func TestOverviewWithoutSources(t *testing.T) {
	opts := options()
	opts.Feeds = nil
	webtest.Contains(t, overviewPage(t, storetest.EmptyNewsroom(t), opts), "Everything is OK. There are no sources yet.", "0 active", "No signals yet", "Add a source")
}

// Each problem links to the page where it can be solved, and the title marks it.
func TestOverviewListsWhatNeedsAttention(t *testing.T) {
	counted := func(opts *overview.Options) {
		for i := range opts.Feeds {
			opts.Feeds[i].Counted = []string{"facebook"}
		}
	}
	article := storetest.Post(1)
	for name, c := range map[string]struct {
		trouble func(*testing.T, *state, *overview.Options)
		want    []string
	}{
		"a source that fails": {func(t *testing.T, s *state, _ *overview.Options) {
			s.SetSource(t, feed.Source{URL: storetest.Slow, About: feed.About{Title: "Новости гавани"}, Poll: feed.PollState{
				LastPoll: webtest.Noon(), Errors: 3, ErrorClass: "timeout", ErrorText: "no answer within 30 s; see whether the site is up",
			}})
		}, []string{"1 problem needs attention.", `<a href="/sources/` + feed.SourceID(storetest.Slow) + `" dir="auto">Новости гавани</a> has failed 3 times in a row: no answer within 30 s`, "1 failing"}},
		"a source that is gone": {func(t *testing.T, s *state, _ *overview.Options) {
			s.SetSource(t, feed.Source{URL: storetest.Gone, Poll: feed.PollState{LastPoll: webtest.Noon(), Gone: true, ErrorClass: "http_4xx"}})
		}, []string{"1 problem needs attention.", `>https://gone.example/atom.xml</a> is gone: the server removed it permanently.`, `<a href="/sources?state=gone">1 gone</a>`}},
		"many sources": {func(t *testing.T, s *state, _ *overview.Options) {
			for i := range 9 {
				url := fmt.Sprintf("https://s%d.example/", i)
				s.SetSource(t, feed.Source{URL: url, Poll: feed.PollState{LastPoll: webtest.Noon(), Gone: true}})
			}
		}, []string{"9 problems need attention.", `<a href="/sources" dir="auto">4 more sources</a> are gone or failing.`}},
		"polls that are late": {func(t *testing.T, s *state, _ *overview.Options) {
			s.poll(t, feed.PollState{LastPoll: webtest.Noon().Add(-time.Hour), NextPoll: webtest.Noon().Add(-6 * time.Minute)})
		}, []string{"1 problem needs attention.", `<a href="/sources" dir="auto">1 poll</a> is late by more than 5 min`, "1 poll late"}},
		"unhandled signals": {func(t *testing.T, s *state, _ *overview.Options) {
			s.pending = webtest.Noon().Add(-10 * time.Minute)
		}, []string{`<a href="/signals" dir="auto">Signals</a> have not been processed since 11:50.`, `<p class="main trouble">waiting</p>`}},
		"an article that is blocked": {func(_ *testing.T, _ *state, opts *overview.Options) {
			opts.Candidates = func(typ string) []string {
				return map[string][]string{"production": {article, storetest.Post(2), "none"}}[typ]
			}
			opts.Blocked = func(a *feed.Article, _ string) string {
				return map[string]string{article: "it has no text", storetest.Post(2): ""}[a.UUID] // the second one was mended
			}
		}, []string{"1 problem needs attention.", `<a href="/articles/` + article + `" dir="auto">Ferry line to the islands opens a second pier</a> is blocked from production: it has no text`,
			`<a href="/articles?feed=production&amp;state=blocked">1 blocked</a>`, "2 articles"}},
		"a consumer that stays away": {func(t *testing.T, s *state, opts *overview.Options) {
			counted(opts)
			s.leave()
			s.visit(t, feed.Visit{Time: webtest.Noon().Add(-3 * time.Hour), Client: "facebook", Status: 200, Counted: true})
		}, []string{"1 problem needs attention.", `<a href="/feeds/production" dir="auto">production</a> has articles and was last fetched 3 h ago.`}},
		"a consumer that never came": {func(t *testing.T, s *state, opts *overview.Options) {
			counted(opts)
			s.leave()
		}, []string{"1 problem needs attention.", "has articles and was not fetched recently. Give the consumer the address.", "not fetched recently"}},
		"a feed that cannot be served": {func(t *testing.T, s *state, opts *overview.Options) {
			s.visit(t, feed.Visit{Time: webtest.Noon(), Status: 503})
			opts.Feeds = opts.Feeds[:1]
		}, []string{"1 problem needs attention.", `production</a> failed the last request.`}},
		"dead letters": {func(t *testing.T, s *state, opts *overview.Options) {
			s.hub = feed.HubState{Subscriptions: 4, Failing: 1, Ready: 2, Planning: 1, DeadLetters: 2}
		}, []string{"1 problem needs attention.", `<a href="/dead-letters" dir="auto">2 deliveries</a> failed permanently. Review or resend them.`,
			`<a href="/subscriptions">4 subscriptions</a>`, "1 failing", "3 pending", `<a href="/dead-letters">2 failed permanently</a>`}},
		"a store that is full": {func(t *testing.T, s *state, _ *overview.Options) {
			s.redis.WriteError = "oom"
		}, []string{"<b>Redis</b> refuses writes: it has reached its maxmemory of 100 MiB.", `<p class="main trouble">refuses writes</p>`}},
		"a store without a disk": {func(t *testing.T, s *state, _ *overview.Options) {
			s.redis.WriteError = "misconf"
		}, []string{"it cannot save to disk"}},
		"a store that is a replica": {func(t *testing.T, s *state, _ *overview.Options) {
			s.redis.WriteError = "readonly"
		}, []string{"it is a replica. Set store.redis to the primary."}},
		"a store that refuses otherwise": {func(t *testing.T, s *state, _ *overview.Options) {
			s.redis.WriteError = "auth"
		}, []string{"refuses writes (auth)"}},
		"a store that may forget": {func(t *testing.T, s *state, _ *overview.Options) {
			s.redis.DiskFails = true
		}, []string{"could not save to disk", `<p class="main trouble">OK</p>`}},
	} {
		t.Run(name, func(t *testing.T) {
			store, opts := calm(t), options()
			c.trouble(t, store, &opts)
			html := overviewPage(t, store, opts)
			webtest.Contains(t, html, append(c.want, "<title>(!) feedwire</title>", `class="status trouble"`)...)
			if !slices.ContainsFunc([]string{"need attention.", "needs attention."}, func(end string) bool { return strings.Contains(html, end) }) || strings.Contains(html, "Everything is OK") {
				t.Error("the headline names no problem")
			}
		})
	}
}

// Temporary and intended states do not need attention.
func TestOverviewIgnoresTemporaryProblems(t *testing.T) {
	for name, trouble := range map[string]func(*testing.T, *state, *overview.Options){
		"one failure": func(t *testing.T, s *state, _ *overview.Options) {
			s.poll(t, feed.PollState{LastPoll: webtest.Noon(), NextPoll: webtest.Noon().Add(time.Minute), Errors: 2, ErrorClass: "timeout"})
		},
		"a signal on its way": func(t *testing.T, s *state, _ *overview.Options) { s.pending = webtest.Noon().Add(-time.Second) },
		"a twin that is not looked at": func(t *testing.T, s *state, opts *overview.Options) {
			opts.Feeds[0].Counted, opts.Feeds[0].TwinOf = []string{"facebook"}, "development"
			s.leave()
		},
		"a feed without a consumer": func(_ *testing.T, s *state, _ *overview.Options) { s.leave() },
		"an article that just came out": func(t *testing.T, s *state, opts *overview.Options) {
			opts.Feeds[0].Counted = []string{"facebook"}
			s.leave()
			s.Clock.Advance(-time.Minute)
			var all []feed.Decision
			for post := range 3 {
				all = append(all, feed.Decision{UUID: storetest.Post(post + 1), Type: "production", Publish: true})
			}
			if _, err := s.Decide(t.Context(), "again", all); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			store, opts := calm(t), options()
			trouble(t, store, &opts)
			webtest.Contains(t, overviewPage(t, store, opts), "Everything is OK.")
		})
	}
}

func TestOverviewShowsImports(t *testing.T) {
	store := calm(t)
	store.imports = []feed.Job{{ID: "j1", State: feed.JobRunning, Total: 3000, Added: 118, Known: 1, Refused: 1}}
	webtest.Contains(t, overviewPage(t, store, options()), `<a href="/imports/j1">Import</a>`, "120 of 3000", "118 added, 1 refused")
}

func TestOverviewHasLandmarksAndTableHeads(t *testing.T) {
	html := overviewPage(t, storetest.NewNewsroom(t), options())
	for _, want := range []string{"<main ", "<nav class=\"places\"", "<header ", "<footer ", `lang="en"`, "<h1>", "<table", "<caption", "<svg class=\"chart\" viewBox=\"0 0 300 60\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Entries"} {
		if strings.Count(html, want) != 1 {
			t.Errorf("%d times %q, want once", strings.Count(html, want), want)
		}
	}
	if strings.Contains(html, "<th>") {
		t.Error("a table head has no scope")
	}
}

func TestOverviewIfTheStoreIsUnavailable(t *testing.T) {
	d := webtest.New(webtest.Noon)
	d.Mount(overview.New(storetest.Unavailable(t), d.Kit, options()))
	rec := d.Call(http.MethodGet, "/", "")
	if rec.Code != 503 || !strings.Contains(rec.Body.String(), "The store cannot be reached.") {
		t.Errorf("got %d:\n%s", rec.Code, rec.Body)
	}
	if strings.Contains(rec.Body.String(), "redis.internal") || strings.Contains(rec.Body.String(), "data-live-page") {
		t.Error("the page shows internal text, or follows events without data")
	}
}

// hostile is a store with values that a source, or whoever writes to the store, chose.
type hostile struct {
	overview.Store
	sources  []feed.Source
	articles []feed.Article
	signals  []feed.Signal
}

func (h *hostile) SourceStates(context.Context, int, int, time.Time) (feed.SourceStates, error) {
	return feed.SourceStates{Alarms: len(h.sources), Alarming: h.sources}, nil
}

func (h *hostile) Articles(context.Context, []string, []string) ([]feed.Article, error) {
	return h.articles, nil
}

func (h *hostile) FindSignals(context.Context, feed.SignalQuery) ([]feed.Signal, string, error) {
	return h.signals, "", nil
}

func TestPageEscapesEveryField(t *testing.T) {
	const attack = `"><script>alert(1)</script><a href='javascript:alert(2)'>`
	e := feed.Entry{ID: attack, FeedURL: attack, GUID: attack, Timestamp: webtest.Noon(), Title: attack, Link: "javascript:alert(3)//" + attack}
	store := &hostile{Store: storetest.EmptyNewsroom(t)}
	for i, link := range []string{"javascript:alert(4)", attack} {
		s := feed.Source{
			ID: fmt.Sprint(i), URL: link + attack, About: feed.About{Title: attack, Link: attack},
			Poll: feed.PollState{Errors: 5, ErrorClass: attack, ErrorText: attack, NextReason: attack, NextPoll: webtest.Noon().Add(time.Hour)},
		}
		store.sources = append(store.sources, s)
		store.articles = append(store.articles, feed.Article{
			UUID: fmt.Sprint(i), FeedURL: s.URL, GUID: attack, Title: attack, Canonical: link, Updated: webtest.Noon(), Authors: []string{attack},
			Feeds: map[string]feed.Placement{"production": {State: feed.StatePublished, Published: webtest.Noon()}},
		})
		store.signals = append(store.signals,
			feed.Signal{ID: attack, Kind: attack, FeedURL: attack, Time: webtest.Noon(), Post: &e, Changed: map[string]feed.Change{attack: {From: attack, To: attack}}},
			feed.Signal{ID: attack, Kind: attack, FeedURL: attack, Time: webtest.Noon()})
	}
	opts := options()
	opts.Candidates = func(string) []string { return []string{"0", "1"} }
	opts.Blocked = func(*feed.Article, string) string { return attack }
	for i := range opts.Feeds {
		opts.Feeds[i].Title, opts.Feeds[i].Link = attack, attack
	}
	d := webtest.New(webtest.Noon)
	d.Kit = web.New(d, d, web.Options{Now: webtest.Noon, PublicURL: attack, Version: attack, StoreKind: func() string { return attack }})
	d.Mount(overview.New(store, d.Kit, opts))
	html := d.As(t, "ann", feed.RoleAdmin).Get("/", http.StatusOK)
	if webtest.HoldsScript(html) || strings.Contains(html, "<a href='") {
		t.Error("markup of a source stands in the page")
	}
	for _, href := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if strings.HasPrefix(strings.ToLower(strings.TrimSpace(href[1])), "javascript:") {
			t.Errorf("a link runs a script: %s", href[0])
		}
	}
	if got := strings.Count(html, "&lt;script&gt;"); got < 16 {
		t.Errorf("the attack is shown %d times only: the page does not show the fields under test", got)
	}
}

func TestNewInstallationShowsTheFirstSteps(t *testing.T) {
	store := &state{Newsroom: storetest.EmptyNewsroom(t)}
	d := webtest.New(webtest.Noon)
	d.Mount(overview.New(store, d.Kit, options()))
	b := d.As(t, "ann", feed.RoleEditor)
	webtest.InOrder(t, b.Get("/", 200), "First steps", "Add a source", `href="/sources/add"`, "Choose a feed", "Publish an article", "Watch the fetch", `href="/feeds/production"`)
	if _, _, err := store.AddSource(t.Context(), feed.Source{URL: storetest.Site}); err != nil {
		t.Fatal(err)
	}
	if page := b.Get("/", 200); !strings.Contains(page, `<li class="done">`) || strings.Contains(page, `href="/sources/add"`) {
		t.Errorf("the first step is not done:\n%s", page)
	}
	if page := d.As(t, "bob", feed.RoleViewer).Get("/", 200); strings.Contains(page, "First steps") {
		t.Error("a viewer is asked to take them")
	}
	d.Mount(overview.New(calm(t), d.Kit, options()))
	if page := d.As(t, "ann", feed.RoleEditor).Get("/", 200); strings.Contains(page, "First steps") {
		t.Error("an installation whose feed is fetched shows them")
	}
}

// checked is a store that counts its checks.
type checked struct {
	*state
	checks int
	err    error
}

func (s *checked) Check(context.Context) error {
	s.checks++
	return s.err
}

func TestOpenPagesShareOneCheckOfTheStore(t *testing.T) {
	store := &checked{state: calm(t)}
	d := webtest.New(webtest.Noon)
	d.Mount(overview.New(store, d.Kit, options()))
	for range 10 {
		if rec := d.Call(http.MethodGet, "/alive", ""); rec.Code != http.StatusNoContent {
			t.Fatalf("got %d %s", rec.Code, rec.Body)
		}
	}
	if store.checks != 1 {
		t.Errorf("10 requests led to %d checks", store.checks)
	}
	for err, want := range map[error]string{
		feed.ErrUnavailable: "The store does not answer.", feed.ErrFull: "The store has reached the limit of its memory and refuses changes.",
		feed.ErrEmptied: "The data of this installation is gone from the store.",
	} {
		d.Mount(overview.New(&checked{state: store.state, err: err}, d.Kit, options()))
		if rec := d.Call(http.MethodGet, "/alive", ""); rec.Code != http.StatusServiceUnavailable || rec.Body.String() != want {
			t.Errorf("%v: got %d %s", err, rec.Code, rec.Body)
		}
	}
}
