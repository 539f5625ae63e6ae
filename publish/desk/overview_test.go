package desk_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// calm returns a store without problems.
func calm() *fakeStore {
	store := wire()
	maps.DeleteFunc(store.sources, func(_ string, s feed.Source) bool { return s.Poll.ErrorClass != "" })
	store.visits = []feed.Visit{{Time: noon.Add(-8 * time.Second), Client: "facebook", Status: 200, Counted: true}}
	store.wire.Redis = feed.RedisState{MemoryUsed: 4_404_019, MemoryLimit: 100 << 20, AppendOnly: true}
	return store
}

// overviewPage returns the page of a visitor with all scopes.
func overviewPage(t *testing.T, store deskStore, opts deskOptions) string {
	t.Helper()
	opts.OpenPages = anyone
	rec := call(store, opts, http.MethodGet, "/", "", "Authorization", "")
	if rec.Code != http.StatusOK {
		t.Fatalf("got %d: %s", rec.Code, rec.Body)
	}
	return rec.Body.String()
}

// says reports texts that a page lacks.
func says(t *testing.T, html string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(html, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if t.Failed() {
		t.Log(html)
	}
}

func TestOverviewWithoutProblems(t *testing.T) {
	store := calm()
	store.wire.Minutes = make([]feed.Minute, feed.OverviewMinutes)
	store.wire.Minutes[20] = feed.Minute{Polls: 200, Failed: 1, Created: 3, Modified: 1, Signals: 4, Published: 2}
	store.wire.Minutes[59] = feed.Minute{Polls: 40, Created: 9, Signals: 9, Impressions: 12, Imported: 3}
	html := overviewPage(t, store, options())
	says(t, html,
		"Everything is OK.", "<title>feedwire</title>", `data-live-page="/live"`,
		`<a href="/sources">Sources</a>`, "1 active", `<a href="/sources?state=paused">1 paused</a>`, "240 polls in the last hour, 1 failed",
		`<a href="/feeds/production">production</a>`, "3 articles", "last fetched <time", "8 s ago", "30 min ago",
		`<a href="/signals">Signals</a>`, "all processed", "7 stored",
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
	says(t, overviewPage(t, newFakeStore(), opts), "Everything is OK. There are no sources yet.", "0 active", "No signals yet", "Add a source")
}

// Each problem links to the page where it can be solved, and the title marks it.
func TestOverviewListsWhatNeedsAttention(t *testing.T) {
	counted := func(opts *deskOptions) {
		for i := range opts.Feeds {
			opts.Feeds[i].Counted = []string{"facebook"}
		}
	}
	article := feed.ArticleUUID(siteURL, "post-1")
	for name, c := range map[string]struct {
		trouble func(*fakeStore, *deskOptions)
		want    []string
	}{
		"a source that fails": {func(s *fakeStore, _ *deskOptions) {
			slow := wire().sources[feed.SourceID(slowURL)]
			s.sources[slow.ID] = slow
		}, []string{"1 problem needs attention.", `<a href="/sources/` + feed.SourceID(slowURL) + `" dir="auto">Новости гавани</a> has failed 3 times in a row: no answer within 30 s`, "1 failing"}},
		"a source that is gone": {func(s *fakeStore, _ *deskOptions) {
			gone := wire().sources[feed.SourceID(goneURL)]
			s.sources[gone.ID] = gone
		}, []string{"1 problem needs attention.", `>https://gone.example/atom.xml</a> is gone: the server removed it permanently.`, `<a href="/sources?state=gone">1 gone</a>`}},
		"many sources": {func(s *fakeStore, _ *deskOptions) {
			for i := range 9 {
				url := fmt.Sprintf("https://s%d.example/", i)
				s.sources[feed.SourceID(url)] = feed.Source{ID: feed.SourceID(url), URL: url, Poll: feed.PollState{Gone: true}}
			}
		}, []string{"9 problems need attention.", `<a href="/sources" dir="auto">4 more sources</a> are gone or failing.`}},
		"polls that are late": {func(s *fakeStore, _ *deskOptions) {
			site := s.sources[feed.SourceID(siteURL)]
			site.Poll.NextPoll = noon.Add(-6 * time.Minute)
			s.sources[site.ID] = site
		}, []string{"1 problem needs attention.", `<a href="/sources" dir="auto">1 poll</a> is late by more than 5 min`, "1 poll late"}},
		"signals that nobody handles": {func(s *fakeStore, _ *deskOptions) {
			s.wire.OldestPending = noon.Add(-10 * time.Minute)
		}, []string{`<a href="/signals" dir="auto">Signals</a> have not been processed since 11:50.`, `<p class="main trouble">waiting</p>`}},
		"an article that is blocked": {func(_ *fakeStore, opts *deskOptions) {
			opts.Held = func(typ string) []string {
				return map[string][]string{"production": {article, feed.ArticleUUID(siteURL, "post-2"), "none"}}[typ]
			}
			opts.Blocked = func(a *feed.Article, _ string) string {
				return map[string]string{article: "it has no text", feed.ArticleUUID(siteURL, "post-2"): ""}[a.UUID] // the second one was mended
			}
		}, []string{"1 problem needs attention.", `<a href="/articles/` + article + `" dir="auto">Ferry line to the islands opens a second pier</a> is blocked from production: it has no text`,
			`<a href="/articles?feed=production&amp;state=blocked">1 blocked</a>`, "2 articles"}},
		"a consumer that stays away": {func(s *fakeStore, opts *deskOptions) {
			counted(opts)
			s.visits[0].Time = noon.Add(-3 * time.Hour)
		}, []string{"1 problem needs attention.", `<a href="/feeds/production" dir="auto">production</a> has articles and was last fetched 3 h ago.`}},
		"a consumer that never came": {func(s *fakeStore, opts *deskOptions) {
			counted(opts)
			s.visits = nil
		}, []string{"1 problem needs attention.", "has articles and was not fetched recently. Give the consumer the address.", "not fetched recently"}},
		"a feed that cannot be served": {func(s *fakeStore, opts *deskOptions) {
			s.visits = append([]feed.Visit{{Time: noon, Status: 503}}, s.visits...)
			opts.Feeds = opts.Feeds[:1]
		}, []string{"1 problem needs attention.", `production</a> failed the last request.`}},
		"dead letters": {func(s *fakeStore, opts *deskOptions) {
			opts.Hub = &fakeHub{}
			s.wire.Hub = feed.HubState{Subscriptions: 4, Failing: 1, Ready: 2, Planning: 1, DeadLetters: 2}
		}, []string{"1 problem needs attention.", `<a href="/dead-letters" dir="auto">2 deliveries</a> failed permanently. Review or resend them.`,
			`<a href="/subscriptions">4 subscriptions</a>`, "1 failing", "3 pending", `<a href="/dead-letters">2 failed permanently</a>`}},
		"a store that is full": {func(s *fakeStore, _ *deskOptions) {
			s.wire.Redis.WriteError = "oom"
		}, []string{"<b>Redis</b> refuses writes: it has reached its maxmemory of 100 MiB.", `<p class="main trouble">refuses writes</p>`}},
		"a store without a disk": {func(s *fakeStore, _ *deskOptions) {
			s.wire.Redis.WriteError = "misconf"
		}, []string{"it cannot save to disk"}},
		"a store that is a replica": {func(s *fakeStore, _ *deskOptions) {
			s.wire.Redis.WriteError = "readonly"
		}, []string{"it is a replica. Set store.redis to the primary."}},
		"a store that refuses otherwise": {func(s *fakeStore, _ *deskOptions) {
			s.wire.Redis.WriteError = "auth"
		}, []string{"refuses writes (auth)"}},
		"a store that may forget": {func(s *fakeStore, _ *deskOptions) {
			s.wire.Redis.DiskFails = true
		}, []string{"could not save to disk", `<p class="main trouble">OK</p>`}},
	} {
		t.Run(name, func(t *testing.T) {
			store, opts := calm(), options()
			c.trouble(store, &opts)
			html := overviewPage(t, store, opts)
			says(t, html, append(c.want, "<title>(!) feedwire</title>", `class="status trouble"`)...)
			if !slices.ContainsFunc([]string{"need attention.", "needs attention."}, func(end string) bool { return strings.Contains(html, end) }) || strings.Contains(html, "Everything is OK") {
				t.Error("the headline names no problem")
			}
		})
	}
}

// Temporary and intended states do not need attention.
func TestOverviewIgnoresTemporaryProblems(t *testing.T) {
	for name, trouble := range map[string]func(*fakeStore, *deskOptions){
		"one failure": func(s *fakeStore, _ *deskOptions) {
			slow := wire().sources[feed.SourceID(slowURL)]
			slow.Poll.Errors = 2
			s.sources[slow.ID] = slow
		},
		"a signal on its way": func(s *fakeStore, _ *deskOptions) { s.wire.OldestPending = noon.Add(-time.Second) },
		"a twin that nobody looks at": func(s *fakeStore, opts *deskOptions) {
			opts.Feeds[0].Counted, opts.Feeds[0].TwinOf, s.visits = []string{"facebook"}, "development", nil
		},
		"a feed without a consumer": func(s *fakeStore, _ *deskOptions) { s.visits = nil },
		"an article that just came out": func(s *fakeStore, opts *deskOptions) {
			opts.Feeds[0].Counted, s.visits = []string{"facebook"}, nil
			for uuid, a := range s.articles {
				if p := a.Feeds["production"]; p.State == feed.StatePublished {
					p.Published = noon.Add(-time.Minute)
					a.Feeds["production"] = p
					s.articles[uuid] = a
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			store, opts := calm(), options()
			trouble(store, &opts)
			says(t, overviewPage(t, store, opts), "Everything is OK.")
		})
	}
}

func TestOverviewShowsImports(t *testing.T) {
	store := calm()
	store.wire.Imports = []feed.Job{{ID: "j1", State: feed.JobRunning, Total: 3000, Added: 118, Known: 1, Refused: 1}}
	says(t, overviewPage(t, store, options()), `<a href="/imports/j1">Import</a>`, "120 of 3000", "118 added, 1 refused")
}

func TestOverviewHasLandmarksAndTableHeads(t *testing.T) {
	html := overviewPage(t, wire(), options())
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
	store, opts := wire(), options()
	store.err = fmt.Errorf("dial redis.internal: %w", feed.ErrUnavailable)
	opts.OpenPages = anyone
	rec := call(store, opts, http.MethodGet, "/", "")
	if rec.Code != 503 || !strings.Contains(rec.Body.String(), "The store cannot be reached.") {
		t.Errorf("got %d:\n%s", rec.Code, rec.Body)
	}
	if strings.Contains(rec.Body.String(), "redis.internal") || strings.Contains(rec.Body.String(), "data-live-page") {
		t.Error("the page shows internal text, or follows events without data")
	}
}
