package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// listener subscribes to topics, has a webhook, and keeps all that comes.
type listener struct {
	*httptest.Server
	mu  sync.Mutex
	got map[string][]string // bodies by path
}

func newListener(t *testing.T) *listener {
	l := &listener{got: make(map[string][]string)}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, r.URL.Query().Get("hub.challenge"))
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the daemon was killed meanwhile
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.got[r.URL.Path] = append(l.got[r.URL.Path], string(body))
	}))
	t.Cleanup(l.Close)
	return l
}

// count returns how many messages to a path contain all texts.
func (l *listener) count(path string, texts ...string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, body := range l.got[path] {
		if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(body, text) }) {
			n++
		}
	}
	return n
}

// removals is a daemon whose entries are taken down while it is killed.
type removals struct {
	*wiretest.Process
	client   *client.Client
	raw      *storetest.Redigo
	source   feed.Source
	listener *listener
	outputs  []string // paths of all feeds that show the posts
}

// titleOf is the title of a post. Each is unique in everything that is stored.
func titleOf(n int) string { return fmt.Sprintf("Harbour secret %03d.", n) }

func guidOf(n int) string { return fmt.Sprintf("g%03d", n) }

// newRemovals starts a daemon with posts in feeds of every profile, and subscribers of the source, its Atom feed and the signals.
func newRemovals(t *testing.T, posts int) *removals {
	t.Helper()
	redis, l, web := storetest.RedisAOF(t), newListener(t), wiretest.NewOrigin(t)
	yaml := fmt.Sprintf("store: {redis: %q}\nhub: {allow_networks: [127.0.0.0/8]}\nwebhooks: [{url: %q, secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw}]\nfeeds:\n",
		"unix://"+redis.Addr(), l.URL+"/hook")
	profiles := []string{"instant-articles", "smartnews", "msn", "flipboard", "newsbreak", "google-news", "full-text"}
	for _, name := range profiles {
		yaml += fmt.Sprintf("  %s: {profile: %s}\n", name, name)
	}
	r := &removals{
		Process: wiretest.NewProcess(t, wiretest.BuildBinary(t, "crashpoints"), yaml), listener: l, raw: storetest.Commands(t, redis.Dial),
	}
	r.client = r.Client()
	r.Start()
	r.Ready()
	var items []wiretest.Item
	for n := range posts {
		items = append(items, wiretest.Post(guidOf(n), titleOf(n), "<p>Text.</p>"))
	}
	web.Set("/feed.xml")
	r.call(http.MethodPost, "/api/v1/sources", map[string]any{"url": web.URL + "/feed.xml", "publish": "auto", "feeds": profiles}, &r.source)
	polled := r.source
	wiretest.Eventually(t, "the source was polled", func() bool {
		r.call(http.MethodGet, "/api/v1/sources/"+r.source.ID, nil, &polled)
		return !polled.Poll.LastOK.IsZero()
	})
	web.Set("/feed.xml", items...) // after the first document, so that all are signalled
	r.outputs = []string{"/feed/full-text.atom", "/feed/full-text.json"}
	for _, name := range profiles {
		r.outputs = append(r.outputs, "/feed/"+name)
	}
	for _, format := range []string{"rss", "atom", "json"} {
		r.outputs = append(r.outputs, "/sources/"+r.source.ID+"/feed."+format)
	}
	wiretest.Eventually(t, "all posts are in the feeds", func() bool {
		return !slices.ContainsFunc([]string{"/feed/full-text", "/feed/instant-articles", r.outputs[len(r.outputs)-1]}, func(path string) bool {
			return strings.Count(r.get(path), "Harbour secret") < posts
		})
	})
	r.outputs = slices.DeleteFunc(r.outputs, func(path string) bool { return !strings.Contains(r.get(path), titleOf(0)) })
	if len(r.outputs) < 8 {
		t.Fatalf("only %v show the posts", r.outputs)
	}
	for path, topic := range map[string]string{"/rss": r.source.URL, "/atom": r.client.Base + "/sources/" + r.source.ID + "/feed.atom"} {
		resp, err := http.PostForm(r.client.Base+"/hub", url.Values{
			"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.callback": {l.URL + path},
		})
		if err != nil || resp.StatusCode != http.StatusAccepted {
			t.Fatalf("subscribe to %s: %v, %v", topic, resp, err)
		}
		_ = resp.Body.Close()
	}
	wiretest.Eventually(t, "subscribed", func() bool { return len(subscriptions(t, r.Process)) >= 2 })
	for n := range posts { // one by one, or they would not be signalled; so that signals have texts
		items[n].Title = titleOf(n) + " Edited"
		web.Set("/feed.xml", items...)
		if _, err := client.Poll(t.Context(), r.client, r.source.ID, nil); err != nil {
			t.Fatal(err)
		}
	}
	wiretest.Eventually(t, "subscribers have the edits", func() bool {
		return l.count("/rss", titleOf(posts-1)+" Edited") > 0 && l.count("/atom", titleOf(posts-1)+" Edited") > 0 &&
			l.count("/hook", "post_modified") == posts
	})
	return r
}

func (r *removals) call(method, path string, in, out any) {
	r.T.Helper()
	if err := r.client.Call(r.T.Context(), method, path, in, out); err != nil {
		r.T.Fatalf("%s %s: %v", method, path, err)
	}
}

// get returns the body of a response; "" if there is none.
func (r *removals) get(path string) string {
	resp, err := http.Get(r.client.Base + path)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return string(body)
}

// entry returns the entry of a post. feed.ErrNotFound: it was taken down.
func (r *removals) entry(n int) (e feed.Entry, err error) {
	err = r.client.Call(r.T.Context(), http.MethodGet, "/api/v1/sources/"+r.source.ID+"/entries/"+guidOf(n), nil, &e)
	var refused *client.Error
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		err = feed.ErrNotFound
	}
	return e, err
}

// removes takes a post down and does not wait long: the daemon may be killed meanwhile.
func (r *removals) removes(e *feed.Entry) {
	ctx, cancel := context.WithTimeout(r.T.Context(), time.Second)
	defer cancel()
	_ = r.client.Call(ctx, http.MethodDelete, "/api/v1/entries/"+e.Number(), nil, nil)
}

// shown returns the outputs that show a post.
func (r *removals) shown(n int) (all []string) {
	for _, path := range r.outputs {
		if strings.Contains(r.get(path), titleOf(n)) {
			all = append(all, path)
		}
	}
	for _, path := range []string{"/api/v1/articles/" + feed.ArticleUUID(r.source.URL, guidOf(n)), "/api/v1/sources/" + r.source.ID + "/entries?limit=200"} {
		var body client.Raw
		if r.client.Call(r.T.Context(), http.MethodGet, path, nil, &body) == nil && strings.Contains(string(body), titleOf(n)) {
			all = append(all, path)
		}
	}
	return all
}

// settles checks after a kill that a post is gone everywhere and that subscribers know, or that it is still everywhere. It reports
// whether it is gone.
func (r *removals) settles(n int) bool {
	r.T.Helper()
	_, err := r.entry(n)
	if err == nil {
		if all := r.shown(n); len(all) != len(r.outputs)+2 {
			r.T.Errorf("post %d was not taken down, and only %v show it", n, all)
		}
		return false
	}
	if !errors.Is(err, feed.ErrNotFound) {
		r.T.Fatal(err)
	}
	if _, err := client.Poll(r.T.Context(), r.client, r.source.ID, nil); err != nil { // the source lists it
		r.T.Fatal(err)
	}
	wiretest.Eventually(r.T, "gone from all outputs and from Redis", func() bool {
		keys := slices.DeleteFunc(r.raw.Containing(titleOf(n)), func(key string) bool {
			return key == "audit" || strings.HasPrefix(key, "audit:") // names what was taken down
		})
		return len(r.shown(n)) == 0 && len(keys) == 0
	})
	wiretest.Eventually(r.T, "subscribers are asked to delete it", func() bool {
		return r.listener.count("/hook", `"post_deleted"`, `"`+guidOf(n)+`"`) > 0 && r.listener.count("/atom", "deleted-entry", guidOf(n)) > 0
	})
	return true
}

// The daemon is killed at each step of a takedown, before and after.
func TestTakedownKilledAtEachStep(t *testing.T) {
	t.Parallel()
	var crashes []crash
	for _, step := range []string{"TakeDownEntry", "RemoveArticle", "RemoveChanges", "RedactVersions", "Distribute"} {
		crashes = append(crashes, crash{"before " + step, 1}, crash{"after " + step, 1})
	}
	r := newRemovals(t, len(crashes))
	for n, c := range crashes {
		e, err := r.entry(n)
		if err != nil {
			t.Fatal(err)
		}
		r.Kill()
		dieAt(r.Process, c, func(int) { r.removes(&e) })
		r.Start()
		r.Ready()
		if gone := r.settles(n); gone != (c.point != "before TakeDownEntry") {
			t.Errorf("killed %s: gone is %v", c.point, gone)
		}
	}
	r.Kill()
}

// The daemon is killed at random moments around takedowns.
func TestTakedownKilledAtRandomMoments(t *testing.T) {
	t.Parallel()
	r, removed := newRemovals(t, kills), 0
	for n := range kills {
		e, err := r.entry(n)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			r.removes(&e)
		}()
		time.Sleep(time.Duration(rand.IntN(15000)) * time.Microsecond)
		r.Kill()
		<-done
		r.Start()
		r.Ready()
		if r.settles(n) {
			removed++
		}
	}
	t.Logf("%d of %d takedowns were done", removed, kills)
	r.Kill()
}

// The daemon is killed while a program writes entries, which repeats each request until it has a response.
func TestLocalWritesKilledAtRandomMoments(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	p, raw := wiretest.BuildProgram(t, fmt.Sprintf("store: {redis: %q}", "unix://"+redis.Addr())), storetest.Commands(t, redis.Dial)
	c := p.Client()
	p.Start()
	p.Ready()
	const size = 60
	path := "/api/v1/sources/" + feed.SourceID(feed.LocalURL("notes")) + "/entries"
	if err := c.Call(t.Context(), http.MethodPost, "/api/v1/sources", map[string]string{"url": feed.LocalURL("notes")}, nil); err != nil {
		t.Fatal(err)
	}
	want := make(map[string]int)
	for round := range kills {
		var entries []map[string]string
		for n := range size {
			e := map[string]string{"title": fmt.Sprintf("Round %d, entry %d", round, n)}
			if n%2 == 0 {
				e["guid"] = fmt.Sprintf("%d-%d", round, n)
			}
			entries = append(entries, e)
			want[e["title"]] = 1
		}
		text, _ := json.Marshal(map[string]any{"entries": entries})
		write := func() (done web.Bulk, err error) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.Base+path+"/bulk", bytes.NewReader(text))
			if err != nil {
				return done, err
			}
			req.Header.Set("Authorization", "Bearer "+c.Token)
			req.Header.Set("Idempotency-Key", fmt.Sprint("round ", round))
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				return done, err
			}
			defer resp.Body.Close()
			return done, json.NewDecoder(resp.Body).Decode(&done)
		}
		answered := make(chan error, 1)
		go func() {
			_, err := write()
			answered <- err
		}()
		time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
		p.Kill()
		err := <-answered
		p.Start()
		p.Ready()
		if err != nil {
			for _, key := range raw.Keys("answer:*") { // as if the two minutes were over for which an interrupted request blocks its key
				if raw.Int("HEXISTS", key, "status") == 0 {
					raw.Do("DEL", key)
				}
			}
		}
		if done, err := write(); err != nil || done.Done != size || done.Failed != 0 {
			t.Errorf("round %d: %+v, %v", round, done, err)
		}
	}
	got := make(map[string]int)
	for next := ""; ; {
		var page feed.Page[feed.Entry]
		if err := c.Call(t.Context(), http.MethodGet, path+"?limit=200&cursor="+url.QueryEscape(next), nil, &page); err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Items {
			got[e.Title]++
		}
		if next = page.Next; next == "" {
			break
		}
	}
	for title, n := range got {
		if want[title] != n {
			t.Errorf("%q is there %d times", title, n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d entries, want %d", len(got), len(want))
	}
	if n := raw.Int("XLEN", "signals"); n != 1+len(want) { // and feed_created
		t.Errorf("%d signals of %d entries", n, len(want))
	}
	p.Kill()
	storetest.Check(t, redis.Dial, nil, feed.ImportAfter)
}
