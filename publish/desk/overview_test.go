package desk_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/desk"
	"github.com/feedwire/feedwire/store/feed"
)

// calm is a store in which nothing needs a person.
func calm() *fakeStore {
	store := wire()
	maps.DeleteFunc(store.sources, func(_ string, s feed.Source) bool { return s.Poll.ErrorClass != "" })
	store.visits = []feed.Visit{{Time: noon.Add(-8 * time.Second), Client: "facebook", Status: 200, Counted: true}}
	store.sketch.Redis = feed.RedisState{Used: 4_404_019, Most: 100 << 20, AppendOnly: true}
	return store
}

// overview is the page as a person sees it who may see all.
func overview(t *testing.T, store desk.Store, opts desk.Options) string {
	t.Helper()
	opts.OpenPages = anyone
	rec := call(store, opts, http.MethodGet, "/", "", "Authorization", "")
	if rec.Code != http.StatusOK {
		t.Fatalf("got %d: %s", rec.Code, rec.Body)
	}
	return rec.Body.String()
}

// says reports what a page lacks.
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

func TestOverviewOfACalmWire(t *testing.T) {
	store := calm()
	store.sketch.Minutes = make([]feed.Minute, feed.MinutesKept)
	store.sketch.Minutes[20] = feed.Minute{Polls: 200, Failed: 1, Created: 3, Modified: 1, Signals: 4, Published: 2}
	store.sketch.Minutes[59] = feed.Minute{Polls: 40, Created: 9, Signals: 9, Impressions: 12, Imported: 3}
	html := overview(t, store, options())
	says(t, html,
		"All is well. Nothing needs you.", "<title>feedwire</title>", `data-live-page="/live"`,
		`<a href="/sources">Sources</a>`, "1 active", `<a href="/sources?state=paused">1 paused</a>`, "240 polls in the last hour, 1 failed",
		`<a href="/feeds/production">production</a>`, "3 articles", "its consumer came <time", "8 s ago", "30 min ago",
		`<a href="/signals">Signals</a>`, "all handled", "7 kept",
		"takes writes", "4.2 MiB of 100 MiB", "each write goes to disk",
		"Entries in the last hour: 12 new, 1 changed", "13 sent", "2 published, 3 imported", "12 counted",
		"What the new tide tables say", "embedded redis",
	)
	if n := strings.Count(html, `<rect class="counted"`); n != 6 {
		t.Errorf("the charts have %d filled columns, want 6", n)
	}
	if n := strings.Count(html, `<rect class="other"`); n != 2 {
		t.Errorf("the charts have %d outlined columns, want 2", n)
	}
	for _, wrong := range []string{"subscription", "dead letter", "http-equiv", "<script>"} {
		if strings.Contains(html, wrong) {
			t.Errorf("the page says %q", wrong)
		}
	}
}

func TestOverviewOfNothing(t *testing.T) {
	opts := options()
	opts.Feeds = nil
	says(t, overview(t, newFakeStore(), opts), "All is well, and nothing to do yet: there are no sources.", "0 active", "No signals yet", "Add a source")
}

// Whatever is wrong is a line that leads to where it is mended, and the page says so in its title.
func TestOverviewTellsWhatNeedsAPerson(t *testing.T) {
	counted := func(opts *desk.Options) {
		for i := range opts.Feeds {
			opts.Feeds[i].Counted = []string{"facebook"}
		}
	}
	article := feed.ArticleUUID(siteURL, "post-1")
	for name, c := range map[string]struct {
		trouble func(*fakeStore, *desk.Options)
		want    []string
	}{
		"a source that fails": {func(s *fakeStore, _ *desk.Options) {
			slow := wire().sources[feed.SourceID(slowURL)]
			s.sources[slow.ID] = slow
		}, []string{"One thing needs you.", `<a href="/sources/` + feed.SourceID(slowURL) + `" dir="auto">Новости гавани</a> has failed 3 times in a row: no answer within 30 s`, "1 failing"}},
		"a source that is gone": {func(s *fakeStore, _ *desk.Options) {
			gone := wire().sources[feed.SourceID(goneURL)]
			s.sources[gone.ID] = gone
		}, []string{"One thing needs you.", `>https://gone.example/atom.xml</a> is gone: its server says so for good.`, `<a href="/sources?state=gone">1 gone</a>`}},
		"many sources": {func(s *fakeStore, _ *desk.Options) {
			for i := range 9 {
				url := fmt.Sprintf("https://s%d.example/", i)
				s.sources[feed.SourceID(url)] = feed.Source{ID: feed.SourceID(url), URL: url, Poll: feed.PollState{Gone: true}}
			}
		}, []string{"9 things need you.", `<a href="/sources" dir="auto">4 more sources</a> that are gone or failing.`}},
		"polls that are late": {func(s *fakeStore, _ *desk.Options) {
			site := s.sources[feed.SourceID(siteURL)]
			site.Poll.NextPoll = noon.Add(-6 * time.Minute)
			s.sources[site.ID] = site
		}, []string{"One thing needs you.", `<a href="/sources" dir="auto">1 poll</a> is late by more than 5 min`, "1 poll late"}},
		"signals that nobody handles": {func(s *fakeStore, _ *desk.Options) {
			s.sketch.Waits = noon.Add(-10 * time.Minute)
		}, []string{`<a href="/signals" dir="auto">Signals</a> are not handled since 11:50.`, `<p class="main trouble">waiting</p>`}},
		"an article that is held back": {func(_ *fakeStore, opts *desk.Options) {
			opts.Held = func(typ string) []string {
				return map[string][]string{"production": {article, feed.ArticleUUID(siteURL, "post-2"), "none"}}[typ]
			}
			opts.HeldBack = func(a *feed.Article, _ string) string {
				return map[string]string{article: "it has no text", feed.ArticleUUID(siteURL, "post-2"): ""}[a.UUID] // the second one was mended
			}
		}, []string{"One thing needs you.", `<a href="/articles/` + article + `" dir="auto">Ferry line to the islands opens a second pier</a> is held back from production: it has no text`,
			`<a href="/articles?feed=production&amp;state=held">1 held back</a>`, "2 articles"}},
		"a consumer that stays away": {func(s *fakeStore, opts *desk.Options) {
			counted(opts)
			s.visits[0].Time = noon.Add(-3 * time.Hour)
		}, []string{"One thing needs you.", `<a href="/feeds/production" dir="auto">production</a> has articles, and its consumer came last 3 h ago.`}},
		"a consumer that never came": {func(s *fakeStore, opts *desk.Options) {
			counted(opts)
			s.visits = nil
		}, []string{"One thing needs you.", "its consumer has not come. Hand it the address.", "its consumer has not come lately"}},
		"a feed that cannot be served": {func(s *fakeStore, opts *desk.Options) {
			s.visits = append([]feed.Visit{{Time: noon, Status: 503}}, s.visits...)
			opts.Feeds = opts.Feeds[:1]
		}, []string{"One thing needs you.", `production</a> could not be served the last time.`}},
		"dead letters": {func(s *fakeStore, opts *desk.Options) {
			opts.Hub = &fakeHub{}
			s.sketch.Hub = feed.HubState{Subscriptions: 4, Failing: 1, Ready: 2, Planning: 1, DeadLetters: 2}
		}, []string{"One thing needs you.", `<a href="/dead-letters" dir="auto">2 dead letters</a> wait to be sent again`,
			`<a href="/subscriptions">4 subscriptions</a>`, "1 failing", "3 on the way", `<a href="/dead-letters">2 given up</a>`}},
		"a store that is full": {func(s *fakeStore, _ *desk.Options) {
			s.sketch.Redis.Refuses = "oom"
		}, []string{"<b>Redis</b> takes no writes: it has reached its maxmemory of 100 MiB.", `<p class="main trouble">takes no writes</p>`}},
		"a store without a disk": {func(s *fakeStore, _ *desk.Options) {
			s.sketch.Redis.Refuses = "misconf"
		}, []string{"it cannot save to its disk"}},
		"a store that is a replica": {func(s *fakeStore, _ *desk.Options) {
			s.sketch.Redis.Refuses = "readonly"
		}, []string{"it is a replica. Name the primary in store.redis."}},
		"a store that refuses otherwise": {func(s *fakeStore, _ *desk.Options) {
			s.sketch.Redis.Refuses = "auth"
		}, []string{"takes no writes (auth)"}},
		"a store that may forget": {func(s *fakeStore, _ *desk.Options) {
			s.sketch.Redis.DiskFails = true
		}, []string{"could not write to its disk the last time", `<p class="main trouble">takes writes</p>`}},
	} {
		t.Run(name, func(t *testing.T) {
			store, opts := calm(), options()
			c.trouble(store, &opts)
			html := overview(t, store, opts)
			says(t, html, append(c.want, "<title>(!) feedwire</title>", `class="status trouble"`)...)
			if !slices.ContainsFunc([]string{"need you.", "needs you."}, func(end string) bool { return strings.Contains(html, end) }) || strings.Contains(html, "All is well") {
				t.Error("the headline does not call anybody")
			}
		})
	}
}

// What mends itself, or is meant so, calls nobody.
func TestOverviewCallsNobodyInVain(t *testing.T) {
	for name, trouble := range map[string]func(*fakeStore, *desk.Options){
		"one failure": func(s *fakeStore, _ *desk.Options) {
			slow := wire().sources[feed.SourceID(slowURL)]
			slow.Poll.Errors = 2
			s.sources[slow.ID] = slow
		},
		"a signal on its way": func(s *fakeStore, _ *desk.Options) { s.sketch.Waits = noon.Add(-time.Second) },
		"a twin that nobody looks at": func(s *fakeStore, opts *desk.Options) {
			opts.Feeds[0].Counted, opts.Feeds[0].TwinOf, s.visits = []string{"facebook"}, "development", nil
		},
		"a feed without a consumer": func(s *fakeStore, _ *desk.Options) { s.visits = nil },
		"an article that just came out": func(s *fakeStore, opts *desk.Options) {
			opts.Feeds[0].Counted, s.visits = []string{"facebook"}, nil
			for uuid, a := range s.articles {
				if p := a.Feeds["production"]; p.State == feed.StatePublished {
					p.Published = noon.Add(-time.Minute)
					a.Feeds["production"] = p
					s.articles[uuid] = a
				}
			}
		},
		"dead letters of a hub that is off": func(s *fakeStore, _ *desk.Options) { s.sketch.Hub.DeadLetters = 3 },
	} {
		t.Run(name, func(t *testing.T) {
			store, opts := calm(), options()
			trouble(store, &opts)
			says(t, overview(t, store, opts), "All is well. Nothing needs you.")
		})
	}
}

func TestOverviewShowsImports(t *testing.T) {
	store := calm()
	store.sketch.Imports = []feed.Job{{ID: "j1", State: feed.JobRunning, Total: 3000, Added: 118, Known: 1, Refused: 1}}
	says(t, overview(t, store, options()), `<a href="/imports/j1">Import</a>`, "120 of 3000", "118 added, 1 refused")
}

func TestOverviewHasALandmarkAndAHeadForEachTable(t *testing.T) {
	html := overview(t, wire(), options())
	for _, want := range []string{"<main ", "<nav class=\"places\"", "<header ", "<footer ", `lang="en"`, "<h1>", "<table", "<caption", "<svg class=\"chart\" viewBox=\"0 0 300 60\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Entries"} {
		if strings.Count(html, want) != 1 {
			t.Errorf("%d times %q, want once", strings.Count(html, want), want)
		}
	}
	if strings.Contains(html, "<th>") {
		t.Error("a table head has no scope")
	}
}

func TestOverviewSaysThatTheStoreIsAway(t *testing.T) {
	store, opts := wire(), options()
	store.err = fmt.Errorf("dial redis.internal: %w", feed.ErrUnavailable)
	opts.OpenPages = anyone
	rec := call(store, opts, http.MethodGet, "/", "")
	if rec.Code != 503 || !strings.Contains(rec.Body.String(), "The store cannot be reached.") {
		t.Errorf("got %d:\n%s", rec.Code, rec.Body)
	}
	if strings.Contains(rec.Body.String(), "redis.internal") || strings.Contains(rec.Body.String(), "data-live-page") {
		t.Error("inner text left the house, or a page without facts follows them")
	}
}
