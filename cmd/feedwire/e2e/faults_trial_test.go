//go:build faults

package e2e

import (
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// trial is a daemon at work while something befalls it: a source that changes all the time, a subscriber, a client that
// follows the signals, a crawler, and a client that requests the status.
type trial struct {
	*wiretest.Process
	fault *fault
	redis *storetest.Server // nil: the daemon keeps its own
	line  *storetest.Line   // nil: it has no line to redis
	web   *wiretest.Origin
	topic string

	posts   []wiretest.Item
	stop    chan struct{} // closed: all who are at work end
	working sync.WaitGroup
	signals follower        // .got is read after working
	clock   *wiretest.Clock // nil: the clock of the machine
	environ []string        // of the daemon
	config  string          // of the daemon, for another one
	emptied []string        // the keys before the flush, each with its content as Redis dumps it
	crawled wiretest.Ledger
	missed  int // fetches that the crawler did not get; read after working
	watch   *watch
	reader  *addressee
}

// newTrial starts all of it, and returns when the daemon works.
func newTrial(t *testing.T, f *fault, binary string) *trial {
	t.Helper()
	tr := &trial{fault: f, web: wiretest.NewOrigin(t), stop: make(chan struct{}), crawled: wiretest.Ledger{Seen: make(map[string]int)}}
	switch f.store {
	case private:
	case shared:
		tr.redis = storetest.RedisAOF(t)
		tr.config = "store: {redis: \"unix://" + tr.redis.Addr() + "\"}"
	case faraway:
		tr.redis = storetest.RedisAOF(t)
		tr.line = storetest.NewLine(t, tr.redis.Dial)
		tr.config = "store: {redis: \"redis://" + tr.line.Addr() + "\"}"
	}
	tr.config += "\nfeeds: {production: {window: 96h}, development: {}}"
	tr.Process = wiretest.NewProcess(t, binary, tr.config)
	if f.before != nil {
		f.before(tr)
	}
	tr.topic = tr.web.URL + "/feed.xml"
	tr.change()
	tr.environ = append(tr.environ, "FEEDWIRE_STORE_TIMEOUT=2s")
	tr.Start(tr.environ...)
	tr.Ready()
	in := map[string]any{"url": tr.topic, "publish": "auto", "interval": "1s"}
	if err := tr.Client().Call(t.Context(), http.MethodPost, "/api/v1/sources", in, nil); err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "published", func() bool { return len(tr.articles(feed.StatePublished)) == 1 })
	tr.reader = newAddressee(t)
	tr.reader.subscribe(t, tr.Process, tr.topic)
	tr.working.Go(func() { tr.signals.run(tr.Client(), tr.stop) })
	tr.working.Go(tr.crawl)
	return tr
}

// change adds a post, and edits every third.
func (tr *trial) change() {
	n := len(tr.posts)
	tr.posts = append(tr.posts, wiretest.Post(fmt.Sprintf("p%d", n), fmt.Sprintf("Post %d", n), "<p>Text.</p>"))
	if n%3 == 2 {
		tr.posts[n-1].Title += ", edited"
	}
	tr.web.Set("/feed.xml", tr.posts...)
}

// news changes the source again and again for a while.
func (tr *trial) news(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		tr.change()
		time.Sleep(min(600*time.Millisecond, time.Until(end)))
	}
}

// crawl takes the feed until the trial ends.
func (tr *trial) crawl() {
	crawler := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for {
		select {
		case <-tr.stop:
			return
		case <-time.After(150 * time.Millisecond):
		}
		guids, err := wiretest.Crawl(crawler, "http://"+tr.Address+"/feed/production", wiretest.Facebook)
		if err != nil {
			tr.missed++
			continue
		}
		tr.crawled.Add(guids)
	}
}

// articles are those in a state. The list of imported ones has those, too, that were published again since.
func (tr *trial) articles(state feed.State) []feed.Article {
	var page feed.Page[feed.Article]
	_ = tr.Client().Call(tr.T.Context(), http.MethodGet, "/api/v1/articles?limit=200&feed=production&state="+string(state), nil, &page)
	return slices.DeleteFunc(page.Items, func(a feed.Article) bool { return a.Feeds["production"].State != state })
}

// settled waits until everything has gone all the way: each post to the subscriber as it is, and each article through
// four fetches.
func (tr *trial) settled() {
	tr.T.Helper()
	titles := make(map[string]string)
	for _, it := range tr.posts {
		titles[it.GUID] = it.Title
	}
	wiretest.Eventually(tr.T, "imported as they are", func() bool {
		imported := make(map[string]string)
		for _, a := range tr.articles(feed.StateImported) {
			imported[a.GUID] = a.Title
		}
		return maps.Equal(imported, titles)
	})
	wiretest.Eventually(tr.T, "brought to the subscriber", func() bool { return tr.reader.knows(titles) })
}

// judge ends all who are at work, and holds their ledgers against each other and against what is stored.
func (tr *trial) judge() {
	tr.T.Helper()
	c := tr.Client()
	var kept feed.Page[feed.Signal]
	var entries feed.Page[feed.Entry]
	for path, page := range map[string]any{
		"/api/v1/signals?limit=200": &kept,
		"/api/v1/sources/" + feed.SourceID(tr.topic) + "/entries?limit=200&content=1": &entries,
	} {
		if err := c.Call(tr.T.Context(), http.MethodGet, path, nil, page); err != nil {
			tr.T.Fatal(err)
		}
	}
	articles := tr.articles(feed.StateImported)
	close(tr.stop)
	tr.working.Wait()

	if tr.missed > 0 && !tr.fault.dies {
		tr.T.Errorf("the crawler did not get the feed %d times", tr.missed)
	}
	told, got := tr.once("the outbox", kept.Items), tr.once("the follower", tr.signals.got)
	if !tr.fault.lossy {
		for what, id := range told {
			if got[what] != id {
				tr.T.Errorf("%s was signalled as %s; the follower got %q", what, id, got[what])
			}
		}
	}
	if len(entries.Items) != len(tr.posts) {
		tr.T.Errorf("%d entries of %d posts", len(entries.Items), len(tr.posts))
	}
	for _, e := range entries.Items {
		created, modified := told["post_created "+e.GUID+" "+e.Digest()], told["post_modified "+e.GUID+" "+e.Digest()]
		if created == "" && modified == "" {
			tr.T.Errorf("no signal tells of %s as it is", e.GUID)
		}
	}
	for _, a := range articles {
		if n := len(a.Feeds["production"].Impressions); n != feed.ImportAfter || tr.crawled.Seen[a.UUID] < n {
			tr.T.Errorf("%s is imported with %d impressions; %d complete answers held it", a.Title, n, tr.crawled.Seen[a.UUID])
		}
	}
	tr.Kill()
	dial := store.DialFunc(nil)
	if tr.redis != nil {
		dial = tr.redis.Dial
	} else {
		dial = storetest.Open(tr.T, filepath.Join(filepath.Dir(tr.Config), "data", "redis"))
	}
	storetest.Check(tr.T, dial, []string{"production", "development"}, feed.ImportAfter)
}

// once are the signals of posts by what they tell. None tells the same under two ids.
func (tr *trial) once(who string, signals []feed.Signal) map[string]string {
	ids := make(map[string]string)
	for _, s := range signals {
		if s.GUID == "" {
			continue
		}
		what := string(s.Kind) + " " + s.GUID + " " + s.Digest
		if before := ids[what]; before != "" && before != s.ID {
			tr.T.Errorf("%s has %s as %s and as %s", who, what, before, s.ID)
		}
		ids[what] = s.ID
	}
	return ids
}

// addressee receives deliveries of the hub.
type addressee struct {
	*httptest.Server
	failing atomic.Bool // it answers deliveries with 500
	mu      sync.Mutex
	titles  map[string]string // as they were last told, by guid
	refused int               // deliveries while it was failing
	taken   map[string]int    // how often each delivery was taken, by its id
}

func newAddressee(t *testing.T) *addressee {
	s := &addressee{titles: make(map[string]string), taken: make(map[string]int)}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// subscribe asks a hub, and waits until that is settled.
func (s *addressee) subscribe(t *testing.T, p *wiretest.Process, topic string) {
	t.Helper()
	before := len(subscriptions(t, p))
	resp, err := http.PostForm("http://"+p.Address+"/hub", url.Values{
		"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.callback": {s.URL},
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	wiretest.Eventually(t, "subscribed", func() bool { return len(subscriptions(t, p)) == before+1 })
}

// ServeHTTP confirms the subscription and takes deliveries.
func (s *addressee) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		_, _ = io.WriteString(w, r.URL.Query().Get("hub.challenge"))
		return
	}
	var doc struct {
		Items []struct {
			GUID  string `xml:"guid"`
			Title string `xml:"title"`
		} `xml:"channel>item"`
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || xml.Unmarshal(body, &doc) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failing.Load() {
		s.refused++
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	s.taken[r.Header.Get("X-Feedwire-Delivery")]++
	for _, post := range doc.Items {
		s.titles[post.GUID] = post.Title
	}
}

// knows reports whether the subscriber knows all posts but those from before it came, as they are.
func (s *addressee) knows(titles map[string]string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	want := maps.Clone(titles)
	if _, told := s.titles["p0"]; !told && !strings.Contains(want["p0"], "edited") {
		delete(want, "p0")
	}
	return maps.Equal(s.titles, want)
}
