package daemon

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/route"
	"github.com/feedwire/feedwire/store/storetest"
)

// The walk of one post, from the source document to the fetch that no longer holds it. The invariants of the store are
// checked after each step.
func TestWalk(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	walk(t, start(t, redis, ""), storetest.Commands(t, redis.Dial))
}

// Of a cluster, and behind Sentinels, with certificates, and a user that has no more rights than docs/how-to/connect-redis.md names.
func TestWalkInACluster(t *testing.T) {
	t.Parallel()
	const prefix = "{feedwire}:"
	cluster := storetest.NewGuardedCluster(t, false, storetest.NewGuard(t, prefix+"*"))
	walk(t, startAt(t, cluster.URL(), prefix, "", nil), storetest.NewRedigo(t, cluster.Masters[storetest.Home(route.Slot(prefix))].Dial, prefix))
}

func TestWalkInAClusterInParts(t *testing.T) {
	t.Parallel()
	cluster := storetest.NewCluster(t, false)
	walk(t, startAt(t, cluster.URL(), "news:", "", nil), cluster.InShards(t, "news:", "http://127.0.0.1/"))
}

func TestWalkBehindSentinels(t *testing.T) {
	t.Parallel()
	watched := storetest.NewGuardedWatched(t, storetest.NewGuard(t, "*"))
	walk(t, startAt(t, watched.URL(), "", "", nil), storetest.Commands(t, watched.Master().Dial))
}

func walk(t *testing.T, d *daemon, raw *storetest.Redigo) {
	t.Helper()
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(3)...)
	url := web.URL + "/feed.xml"
	step := func(name string, f func(t *testing.T)) {
		t.Helper()
		if !t.Run(name, f) {
			t.FailNow()
		}
		raw.Check([]string{"production", "development"}, feed.ImportAfter)
	}

	var src feed.Source
	step("a source is added and becomes entries, signals and articles", func(t *testing.T) {
		src = d.add(url, map[string]any{"publish": "auto"})
		if src.State() != feed.SourceActive || src.Poll.Entries != 3 || src.About.Title != "Test" {
			t.Fatalf("source is %+v", src)
		}
		if ids := raw.StringMap("HGETALL", url+":guidmap"); len(ids) != 3 || ids["p0"] == "" {
			t.Errorf("guidmap is %v", ids)
		}
		var got []feed.SignalKind
		for _, s := range d.signals() {
			got = append(got, s.Kind)
		}
		want := []feed.SignalKind{feed.FeedCreated, feed.PostCreated, feed.PostCreated, feed.PostCreated}
		if !cmp.Equal(got, want) {
			t.Errorf("signals are %v", got)
		}
		wiretest.Eventually(t, "published", func() bool { return len(d.articles("feed=production&state=published")) == 3 })
	})

	step("a second poll changes nothing and signals nothing", func(t *testing.T) {
		src = d.poll(src)
		if src.Poll.Status != http.StatusNotModified {
			t.Errorf("the second poll got %d", src.Poll.Status)
		}
		if n := len(d.signals()); n != 4 {
			t.Errorf("%d signals", n)
		}
	})

	uuid := feed.ArticleUUID(url, "p1")
	step("an edited title is one signal with its diff and publishes again", func(t *testing.T) {
		edited := wiretest.Posts(3)
		edited[1].Title = "Post 1, corrected"
		web.Set("/feed.xml", edited...)
		src = d.poll(src)
		signals := d.signals()
		if len(signals) != 5 {
			t.Fatalf("%d signals", len(signals))
		}
		last := signals[4]
		want := map[string]feed.Change{
			"title": {From: "Post 1", To: "Post 1, corrected"}, "date_updated": {To: feed.FormatTime(last.Post.Updated)},
		}
		if last.Kind != feed.PostModified || last.GUID != "p1" || !cmp.Equal(last.Changed, want) {
			t.Errorf("the signal is %s %s %v", last.Kind, last.GUID, last.Changed)
		}
		wiretest.Eventually(t, "published again", func() bool {
			var a feed.Article
			d.do(http.MethodGet, "/api/v1/articles/"+uuid, nil, &a)
			return a.Feeds["production"].Revision == 2 && a.Title == "Post 1, corrected"
		})
	})

	step("what is no impression counts nothing", func(t *testing.T) {
		before := d.metric("feedwire_impressions_total", "outcome", "counted")
		d.fetch("production", "Mozilla/5.0", nil)
		d.fetch("production", wiretest.Facebook, func(r *http.Request) { r.Method = http.MethodHead })
		d.fetch("development", wiretest.Facebook, nil)
		if status, _, _ := d.fetch("nonsense", wiretest.Facebook, nil); status != http.StatusNotFound {
			t.Errorf("an unknown feed gave %d", status)
		}
		time.Sleep(1500 * time.Millisecond) // longer than an impression waits for its proof
		if after := d.metric("feedwire_impressions_total", "outcome", "counted"); after != before {
			t.Errorf("%v impressions were counted", after-before)
		}
	})

	step("four fetches import, the fifth holds nothing", func(t *testing.T) {
		for n := 1; n <= feed.ImportAfter; n++ {
			status, guids, header := d.fetch("production", wiretest.Facebook, nil)
			if status != http.StatusOK || len(guids) != 3 || !slices.Contains(guids, uuid) {
				t.Fatalf("fetch %d: %d with %v", n, status, guids)
			}
			if got := header.Get("X-Feedwire-Impressions"); got != "counted" {
				t.Errorf("fetch %d says %q", n, got)
			}
			wiretest.Eventually(t, "counted", func() bool {
				return d.metric("feedwire_impressions_total", "outcome", "counted") == float64(3*n)
			})
		}
		if _, guids, _ := d.fetch("production", wiretest.Facebook, nil); len(guids) != 0 {
			t.Errorf("the fifth fetch holds %v", guids)
		}
		if n := d.metric("feedwire_article_transitions_total", "to", "imported"); n != 3 {
			t.Errorf("%v promotions were counted", n)
		}
		for _, a := range d.articles("feed=production&state=imported") {
			if p := a.Feeds["production"]; len(p.Impressions) != 4 || p.Imported.IsZero() {
				t.Errorf("article %s is %+v", a.UUID, p)
			}
		}
	})

	step("a change of an imported article publishes it again", func(t *testing.T) {
		edited := wiretest.Posts(3)
		edited[1].Title = "Post 1, corrected twice"
		web.Set("/feed.xml", edited...)
		d.poll(src)
		wiretest.Eventually(t, "published again", func() bool { return len(d.articles("feed=production&state=published")) == 1 })
	})

	step("an editor withdraws it and the rule leaves it so", func(t *testing.T) {
		var done feed.Transition
		d.do(http.MethodPost, "/api/v1/articles/"+uuid+"/withdraw", map[string]string{"feed": "production"}, &done)
		if done.To != feed.StateWithdrawn {
			t.Errorf("taking back gave %+v", done)
		}
		edited := wiretest.Posts(3)
		edited[1].Title = "Post 1, corrected thrice"
		web.Set("/feed.xml", edited...)
		d.poll(src)
		wiretest.Eventually(t, "handled", func() bool {
			var a feed.Article
			d.do(http.MethodGet, "/api/v1/articles/"+uuid, nil, &a)
			return a.Title == "Post 1, corrected thrice"
		})
		if _, guids, _ := d.fetch("production", wiretest.Facebook, nil); len(guids) != 0 {
			t.Errorf("the feed holds %v", guids)
		}
	})
}

func TestCredentialsAreRequiredWhereConfigured(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	d := start(t, redis, `
feeds:
  production:
    auth: {username: facebook, password: tr0mbone}
`)
	if status, _, header := d.fetch("production", wiretest.Facebook, nil); status != http.StatusUnauthorized || header.Get("Www-Authenticate") == "" {
		t.Errorf("without credentials: %d %v", status, header)
	}
	status, _, header := d.fetch("production", "curl", func(r *http.Request) { r.SetBasicAuth("facebook", "tr0mbone") })
	if status != http.StatusOK || header.Get("X-Feedwire-Impressions") != "counted" {
		t.Errorf("with credentials: %d %q", status, header.Get("X-Feedwire-Impressions"))
	}
	if status := d.status("/api/v1/sources"); status != http.StatusUnauthorized {
		t.Errorf("the API without a token: %d", status)
	}
}
