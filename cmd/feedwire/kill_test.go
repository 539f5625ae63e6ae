package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// process is the real program, run and killed by a test.
type process struct {
	t       *testing.T
	binary  string
	config  string
	address string
	cmd     *exec.Cmd
	log     *logbook
}

// buildProgram builds the program and writes its configuration; more is what a test adds to it, as YAML.
func buildProgram(t *testing.T, more string) *process {
	t.Helper()
	return newProcess(t, buildBinary(t), more)
}

// builds are the programs that the tests of this run have built, by the flags of the build. TestMain removes them.
var builds struct {
	sync.Mutex
	dir   string
	paths map[string]string
}

// buildBinary builds the program, once for all tests.
func buildBinary(tb testing.TB, flags ...string) string {
	tb.Helper()
	builds.Lock()
	defer builds.Unlock()
	key := strings.Join(flags, " ")
	if path, ok := builds.paths[key]; ok {
		return path
	}
	if builds.paths == nil {
		dir, err := os.MkdirTemp("", "feedwire")
		if err != nil {
			tb.Fatal(err)
		}
		builds.dir, builds.paths = dir, make(map[string]string)
	}
	path := filepath.Join(builds.dir, fmt.Sprint("feedwire", len(builds.paths)))
	args := append(append([]string{"build"}, flags...), "-o", path, ".")
	if out, err := exec.CommandContext(tb.Context(), "go", args...).CombinedOutput(); err != nil {
		tb.Fatalf("build: %v\n%s", err, out)
	}
	builds.paths[key] = path
	return path
}

// removeBuilds removes the programs.
func removeBuilds() {
	builds.Lock()
	defer builds.Unlock()
	if builds.dir != "" {
		_ = os.RemoveAll(builds.dir)
	}
}

// newProcess gives a daemon of a program its configuration.
func newProcess(t *testing.T, binary, more string) *process {
	t.Helper()
	dir := t.TempDir()
	p := &process{t: t, binary: binary, config: filepath.Join(dir, "feedwire.yaml"), address: "127.0.0.1:" + freePort(t)}
	text := fmt.Sprintf(`
listen: %s
data_dir: %s
api: {token: a-token-for-the-kill-test}
fetch: {allow_networks: [127.0.0.0/8], interval: 1s, host_delay: 0s, min_interval: 0s}
%s
`, p.address, filepath.Join(dir, "data"), more)
	if err := os.WriteFile(p.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.cmd != nil {
			p.kill()
		}
	})
	return p
}

// client asks the daemon.
func (p *process) client() *client {
	return &client{"http://" + p.address, "a-token-for-the-kill-test", &http.Client{Timeout: 20 * time.Second}}
}

// ready waits for the daemon.
func (p *process) ready() {
	p.t.Helper()
	c := p.client()
	eventually(p.t, "ready", func() bool { return c.call(p.t.Context(), http.MethodGet, "/readyz", nil, nil) == nil })
}

// start runs the program with more in its environment.
func (p *process) start(environment ...string) {
	p.t.Helper()
	p.log = new(logbook)
	p.cmd = exec.Command(p.binary, "serve", "--config", p.config)
	p.cmd.Stderr, p.cmd.Env = p.log, append(os.Environ(), environment...)
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
}

// kill ends the program as a power cut would, from its own point of view.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	p.cmd = nil
}

// signal stops the program for a while (SIGSTOP), or lets it go on (SIGCONT).
func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

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

func (f *follower) run(c *client, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(20 * time.Millisecond):
		}
		req, err := http.NewRequest(http.MethodGet, c.base+"/api/v1/events", nil)
		if err != nil {
			return
		}
		req.Header.Set("Authorization", "Bearer "+c.token)
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

// The program is killed twenty times at random moments while its source gets new and edited posts, a client follows its
// signals and a crawler takes its feed. In the end the source's ledger, the entries, the signals and the promotions
// agree: nothing is lost, and nothing is doubled.
func TestKilledAtTwentyRandomMoments(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	web := newOrigin(t)
	p := buildProgram(t, "")
	c := p.client()
	p.start()
	p.ready()
	url := web.URL + "/feed.xml"
	in := map[string]any{"url": url, "publish": "auto", "interval": "1s"}
	if err := c.call(t.Context(), http.MethodPost, "/api/v1/sources", in, nil); err != nil {
		t.Fatal(err)
	}

	stop := make(chan struct{})
	var background sync.WaitGroup
	var signals follower
	background.Go(func() { signals.run(c, stop) })
	saw := ledger{seen: make(map[string]int)}
	background.Go(func() {
		crawler := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
		for {
			select {
			case <-stop:
				return
			case <-time.After(150 * time.Millisecond):
			}
			if guids, err := crawlOnce(crawler, c.base+"/feed/production", facebook); err == nil {
				saw.add(guids)
			}
		}
	})

	var items []item
	edits := 0
	for round := range 20 {
		items = append(items, item{fmt.Sprintf("p%d", round), fmt.Sprintf("Post %d", round), "<p>Text.</p>"})
		if round%3 == 2 {
			items[round-1].title += ", edited"
			edits++
		}
		web.set("/feed.xml", items...)
		time.Sleep(time.Duration(100+random.IntN(1400)) * time.Millisecond)
		p.kill()
		p.start()
	}
	p.ready()
	id := feed.SourceID(url)
	if _, err := pollNow(t.Context(), c, id, false); err != nil {
		t.Fatal(err)
	}
	var articles feed.Page[feed.Article]
	eventually(t, "imported", func() bool {
		path := "/api/v1/articles?feed=production&state=imported&limit=200"
		return c.call(t.Context(), http.MethodGet, path, nil, &articles) == nil && len(articles.Items) == len(items) &&
			!slices.ContainsFunc(articles.Items, func(a feed.Article) bool { // published again since it was imported
				return a.Feeds["production"].State != feed.StateImported
			})
	})
	var kept feed.Page[feed.Signal]
	if err := c.call(t.Context(), http.MethodGet, "/api/v1/signals?limit=200", nil, &kept); err != nil {
		t.Fatal(err)
	}
	last := kept.Items[len(kept.Items)-1].ID
	eventually(t, "followed to the last signal", func() bool { return signals.last() == last })
	close(stop)
	background.Wait()

	var entries feed.Page[feed.Entry]
	if err := c.call(t.Context(), http.MethodGet, "/api/v1/sources/"+id+"/entries?limit=200&content=1", nil, &entries); err != nil {
		t.Fatal(err)
	}
	titles := make(map[string]string)
	for _, e := range entries.Items {
		titles[e.GUID] = e.Title
	}
	for _, it := range items {
		if titles[it.guid] != it.title {
			t.Errorf("entry %s is %q, the source has %q", it.guid, titles[it.guid], it.title)
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
		if n := len(a.Feeds["production"].Impressions); n != feed.ImportAfter || saw.seen[a.UUID] < n {
			t.Errorf("%s is imported with %d impressions; %d complete answers held it", a.Title, n, saw.seen[a.UUID])
		}
	}
	p.kill()
	checkData(t, filepath.Join(filepath.Dir(p.config), "data", "redis"))
}

// checkData opens the data that a killed program left, and checks its invariants.
func checkData(t *testing.T, dir string) {
	t.Helper()
	storetest.Check(t, storetest.Open(t, dir), []string{"production", "development"}, feed.ImportAfter)
}
