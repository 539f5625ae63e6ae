package daemon

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// takedown is a daemon with a source of three published posts, two of which are to be taken down.
type takedown struct {
	*daemon
	src  feed.Source
	urls []string // of all feeds with the posts
}

func newTakedown(t *testing.T) *takedown {
	t.Helper()
	d := &takedown{daemon: start(t, storetest.RedisAOF(t), "feeds: {production: {}, readers: {profile: full-text}}")}
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(3)...)
	d.src = d.add(web.URL+"/feed.xml", map[string]any{"publish": "auto", "feeds": []string{"production", "readers"}})
	d.urls = append([]string{"/feed/production", "/feed/readers", "/feed/readers.atom", "/feed/readers.json"}, d.src.Republished...)
	wiretest.Eventually(t, "published everywhere", func() bool { return len(d.showing("Post 1")) == len(d.urls) })
	wiretest.Eventually(t, "copies on disk", func() bool { return len(d.copiesWith("Post 1")) == 4 })
	return d
}

// showing returns the URLs of the feeds that show a text.
func (d *takedown) showing(text string) (all []string) {
	d.t.Helper()
	for _, url := range d.urls {
		if body, _ := d.fetched(url); strings.Contains(body, text) {
			all = append(all, url)
		}
	}
	return all
}

// copiesWith returns the last good copies that have a text.
func (d *takedown) copiesWith(text string) (all []string) {
	d.t.Helper()
	files, _ := filepath.Glob(filepath.Join(d.app.cfg().DataDir, "copies", "*.copy"))
	for _, name := range files {
		if content, err := os.ReadFile(name); err == nil && strings.Contains(string(content), text) {
			all = append(all, name)
		}
	}
	return all
}

func (d *takedown) entry(guid string) feed.Entry {
	d.t.Helper()
	e, err := d.app.store.Entries.EntryByGUID(d.t.Context(), d.src.URL, guid)
	if err != nil {
		d.t.Fatal(err)
	}
	return e
}

// gone checks that a post is in no output, and the others are in all feeds.
func (d *takedown) gone(guid, title string, begun time.Time) {
	d.t.Helper()
	wiretest.Eventually(d.t, title+" is gone from the copies, without a request", func() bool { return len(d.copiesWith(title)) == 0 })
	wiretest.Eventually(d.t, title+" is gone", func() bool {
		_, err := d.app.store.Articles.Article(d.t.Context(), feed.ArticleUUID(d.src.URL, guid), nil)
		return errors.Is(err, feed.ErrNotFound) && len(d.showing(title)) == 0
	})
	d.t.Logf("%s is gone after %v", title, time.Since(begun))
	if all := d.showing("Post 0"); len(all) != len(d.urls) {
		d.t.Errorf("another post is only in %v", all)
	}
	for _, s := range d.signals() {
		if s.GUID == guid && (s.Post != nil || s.Changed != nil) {
			d.t.Errorf("signal %+v shows the post", s)
		}
	}
}

func TestTakedownRemovesAnEntryEverywhere(t *testing.T) {
	t.Parallel()
	d := newTakedown(t)
	follower := newReader(t)
	d.subscribes(follower, d.src.Republished[1], follower.URL+"/push")
	e, begun := d.entry("p1"), time.Now()
	d.do(http.MethodDelete, "/api/v1/entries/"+e.Number(), nil, nil)
	d.gone("p1", "Post 1", begun)
	if all := d.signals(); all[len(all)-1].Kind != feed.PostDeleted {
		t.Errorf("signals are %+v", all)
	}
	wiretest.Eventually(t, "a delivery", func() bool { return len(follower.deliveries()) > 0 })
	if body := follower.deliveries()[0].Form.Get("body"); strings.Contains(body, "Post 1") || !strings.Contains(body, "deleted-entry") {
		t.Errorf("delivered\n%s", body)
	}

	d.src = d.poll(d.src) // the source still lists it
	d.do(http.MethodPost, "/api/v1/sources/"+d.src.ID+"/poll?full=1&trace=1", nil, nil)
	if _, err := d.app.store.Entries.EntryByGUID(t.Context(), d.src.URL, "p1"); !errors.Is(err, feed.ErrNotFound) {
		t.Errorf("after another poll: %v", err)
	}
	d.gone("p1", "Post 1", time.Now())
}

// The daemon is killed after the entry is deleted with its signal, and before its article.
func TestTakedownIsCompletedByTheIntake(t *testing.T) {
	t.Parallel()
	d := newTakedown(t)
	begun := time.Now()
	if _, err := d.app.store.Entries.TakeDownEntry(t.Context(), d.entry("p2").ID); err != nil {
		t.Fatal(err)
	}
	d.gone("p2", "Post 2", begun)
}

func TestNoDaemonKeepsCopiesBesideAnother(t *testing.T) {
	t.Parallel()
	redis, yaml := storetest.RedisAOF(t), "feeds: {production: {}}"
	first := &takedown{daemon: start(t, redis, yaml)}
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(1)...)
	first.add(web.URL+"/feed.xml", map[string]any{"publish": "auto"})
	wiretest.Eventually(t, "a copy", func() bool {
		first.fetched("/feed/production")
		return len(first.copiesWith("Post 0")) == 1
	})
	second := &takedown{daemon: start(t, redis, yaml)}
	wiretest.Eventually(t, "no copies", func() bool {
		return len(first.copiesWith("")) == 0 && len(second.copiesWith("")) == 0
	})
}
