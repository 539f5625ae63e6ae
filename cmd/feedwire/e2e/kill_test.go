package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// follower collects the signals over all restarts, as a client that goes on after the last one it got.
type follower struct {
	mu  sync.Mutex
	got []feed.Signal
}

// last is the id of the last signal that came.
func (f *follower) last() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.got) == 0 {
		return "0-0"
	}
	return f.got[len(f.got)-1].ID
}

func (f *follower) run(c *client.Client, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(20 * time.Millisecond):
		}
		req, err := http.NewRequest(http.MethodGet, c.Base+"/api/v1/events", nil)
		if err != nil {
			return
		}
		req.Header.Set("Authorization", "Bearer "+c.Token)
		req.Header.Set("Last-Event-ID", f.last())
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			continue
		}
		go func() { <-stop; _ = resp.Body.Close() }()
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var s feed.Signal
				if json.Unmarshal([]byte(data), &s) == nil {
					f.mu.Lock()
					f.got = append(f.got, s)
					f.mu.Unlock()
				}
			}
		}
		_ = resp.Body.Close()
	}
}

// The program is killed at random moments while its source gets new and edited posts, a client follows its
// signals and a crawler takes its feed. In the end the source's ledger, the entries, the signals and the promotions
// agree: nothing is lost, and nothing is doubled.
func TestKilledAtRandomMoments(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	web := wiretest.NewOrigin(t)
	p := wiretest.BuildProgram(t, "")
	c := p.Client()
	p.Start()
	p.Ready()
	url := web.URL + "/feed.xml"
	in := map[string]any{"url": url, "publish": "auto", "interval": "1s"}
	if err := c.Call(t.Context(), http.MethodPost, "/api/v1/sources", in, nil); err != nil {
		t.Fatal(err)
	}

	stop := make(chan struct{})
	var background sync.WaitGroup
	var signals follower
	background.Go(func() { signals.run(c, stop) })
	saw := wiretest.Ledger{Seen: make(map[string]int)}
	background.Go(func() {
		crawler := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
		for {
			select {
			case <-stop:
				return
			case <-time.After(150 * time.Millisecond):
			}
			if guids, err := wiretest.Crawl(crawler, c.Base+"/feed/production", wiretest.Facebook); err == nil {
				saw.Add(guids)
			}
		}
	})

	var items []wiretest.Item
	edits := 0
	for round := range kills {
		items = append(items, wiretest.Post(fmt.Sprintf("p%d", round), fmt.Sprintf("Post %d", round), "<p>Text.</p>"))
		if round%3 == 2 {
			items[round-1].Title += ", edited"
			edits++
		}
		web.Set("/feed.xml", items...)
		time.Sleep(time.Duration(100+random.IntN(1400)) * time.Millisecond)
		p.Kill()
		p.Start()
	}
	p.Ready()
	id := feed.SourceID(url)
	if _, err := client.Poll(t.Context(), c, id, nil); err != nil {
		t.Fatal(err)
	}
	var articles feed.Page[feed.Article]
	wiretest.Eventually(t, "imported", func() bool {
		path := "/api/v1/articles?feed=production&state=imported&limit=200"
		return c.Call(t.Context(), http.MethodGet, path, nil, &articles) == nil && len(articles.Items) == len(items) &&
			!slices.ContainsFunc(articles.Items, func(a feed.Article) bool { // published again since it was imported
				return a.Feeds["production"].State != feed.StateImported
			})
	})
	var kept feed.Page[feed.Signal]
	if err := c.Call(t.Context(), http.MethodGet, "/api/v1/signals?limit=200", nil, &kept); err != nil {
		t.Fatal(err)
	}
	last := kept.Items[len(kept.Items)-1].ID
	wiretest.Eventually(t, "followed to the last signal", func() bool { return signals.last() == last })
	close(stop)
	background.Wait()

	var entries feed.Page[feed.Entry]
	if err := c.Call(t.Context(), http.MethodGet, "/api/v1/sources/"+id+"/entries?limit=200&content=1", nil, &entries); err != nil {
		t.Fatal(err)
	}
	titles := make(map[string]string)
	for _, e := range entries.Items {
		titles[e.GUID] = e.Title
	}
	for _, it := range items {
		if titles[it.GUID] != it.Title {
			t.Errorf("entry %s is %q, the source has %q", it.GUID, titles[it.GUID], it.Title)
		}
	}
	if len(entries.Items) != len(items) {
		t.Errorf("%d entries of %d posts", len(entries.Items), len(items))
	}

	// The same signal may come again, with its id; the same change may not come under another id. The last signal of each
	// post tells of its last content.
	counts, ids, digests := make(map[string]int), make(map[string]bool), make(map[string]string)
	for _, s := range signals.got {
		if !ids[s.ID] {
			ids[s.ID] = true
			counts[string(s.Kind)+" "+s.GUID+" "+s.Digest]++
			digests[s.GUID] = s.Digest
		}
	}
	created := 0
	for what, n := range counts {
		if n != 1 {
			t.Errorf("%s was signalled %d times under different ids", what, n)
		}
		if strings.HasPrefix(what, string(feed.PostCreated)) {
			created++
		}
	}
	if created != len(items) || len(ids) > 1+len(items)+edits || len(ids) != len(kept.Items) || !ids[last] {
		t.Errorf("the follower got %d signals, %d of them of new posts; the store has %d", len(ids), created, len(kept.Items))
	}
	for _, e := range entries.Items {
		if digests[e.GUID] != e.Digest() {
			t.Errorf("the last signal of %s tells of other content", e.GUID)
		}
	}
	for _, a := range articles.Items {
		if n := len(a.Feeds["production"].Impressions); n != feed.ImportAfter || saw.Seen[a.UUID] < n {
			t.Errorf("%s is imported with %d impressions; %d complete answers held it", a.Title, n, saw.Seen[a.UUID])
		}
	}
	p.Kill()
	checkData(t, filepath.Join(filepath.Dir(p.Config), "data", "redis"))
}

// checkData opens the data that a killed program left, and checks its invariants.
func checkData(t *testing.T, dir string) {
	t.Helper()
	storetest.Check(t, storetest.Open(t, dir), []string{"production", "development"}, feed.ImportAfter)
}
