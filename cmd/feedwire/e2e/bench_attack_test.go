package e2e

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/storetest"
)

var (
	attackSize   = flag.Int("attack", 100, "size of the attack in BenchmarkAttack, in per cent")
	attackTime   = flag.Duration("attack-time", 10*time.Second, "of each measurement in BenchmarkAttack")
	attackRounds = flag.Int("attack-rounds", 5, "number of rounds in BenchmarkAttack")
)

var attackMetric = regexp.MustCompile(`(?m)^feedwire_(http_limited_total|http_connections|sign_ins_total|polls_in_flight).*$`)

// BenchmarkAttack is what a visitor notices while the daemon is attacked from 200 addresses at once: by 4,000 sign-ins that stop at
// 190 KB, 60 uploads of 8 MB by an editor, 300 clients that read a byte of a feed per second, 300 that read nothing of it, 1,000 half
// headers, 1,000 idle connections, 60 clients that guess passwords and tokens, and 10,000 sources whose servers never answer.
//
// Each round has a daemon of its own, which is visited before and during the attack. p99-ratio is the visitor's p99 under attack to that
// before, the median of the rounds; the limit is 2. peak-MB is the resident memory of the daemon at the most; the limit is 300.
// late-s is the largest delay of a source among the tarpits.
//
// Two more figures tell how much of that ratio is the machine: machine-p99-ratio is the median of the same ratio for a bare net/http
// server that is not attacked, on the same processors, and store-p99-ratio that of a PING to the Redis, which syncs every write to the
// disk before it answers anyone. Each page waits for Redis, so a slow disk is seen there first.
//
// The sources are added before the attack, because that is the work of an editor. The attackers have the processor time that is left, but
// the processors are not divided: with one of two, the daemon would be measured on half a machine. If other programs run, use
// "chrt --rr 1 ./e2e.test -test.run '^$' -test.bench Attack$ -test.benchtime 1x": all but the attackers go before other programs, in both
// phases alike. TMPDIR=/dev/shm does the same for the disk.
func BenchmarkAttack(b *testing.B) {
	b.Setenv("FEEDWIRE_FETCH_WORKERS", "16")
	m := measures{}
	for range *attackRounds {
		m.attack(b)
	}
	for b.Loop() { // the rounds above are what is measured
	}
	m.report(b)
	for _, name := range []string{"peak-MB", "late-s", "failed-visits"} {
		b.ReportMetric(slices.Max(m[name]), name)
	}
}

// attack is one round.
func (m measures) attack(b *testing.B) {
	b.Helper()
	good := newPunctual(b, 5*time.Second)
	redis := storetest.RedisAOF(b)
	publishStories(b, storetest.New(b, store.Options{Dial: redis.Dial}), []string{"production", "private"}, 0, 100)
	p := startProgram(b, redis, fmt.Sprintf("feeds: {production: {}, private: {auth: {username: fb, password: a-long-password}}}\n"+
		"sources: [{url: %s, interval: %s}]\n", good.url, good.interval))
	defer p.stop()
	bareAddress, _ := startBenchAnswer(b, bare, take(b, p.address(), "/feed/production", http.Header{}))
	v := newVisitor(b, p, bareAddress)
	v.visit(b, time.Second) // warm up
	quiet := v.visit(b, *attackTime)
	crowd := startAttackers(b, p.address(), *attackSize)
	defer crowd.in.Close()
	tarpits := 10_000 * *attackSize / 100
	p.addTarpits(crowd.tarpits, tarpits)
	p.until("all sources added", func() bool { return p.redis.Int("HLEN", "feeds") == tarpits+1 })
	crowd.attack(b)
	v.visit(b, *attackTime) // until all are there
	pids := []int{p.cmd.Process.Pid, crowd.pid}
	begun, before := time.Now(), []time.Duration{processCPU(b, pids[0]), processCPU(b, pids[1])}
	attacked := v.visit(b, *attackTime)
	spent, after := time.Since(begun), []time.Duration{processCPU(b, pids[0]), processCPU(b, pids[1])}
	_, peak := p.memory()
	m.add("quiet-p99-ms", p99(quiet.daemon()))
	m.add("attack-p99-ms", p99(attacked.daemon()))
	m.add("p99-ratio", p99(attacked.daemon())/p99(quiet.daemon()))
	m.add("machine-p99-ratio", p99(attacked.machine)/p99(quiet.machine))
	m.add("store-p99-ratio", p99(attacked.store)/p99(quiet.store))
	m.add("failed-visits", float64(attacked.failed))
	m.add("daemon-cpus", (after[0]-before[0]).Seconds()/spent.Seconds())
	m.add("attackers-cpus", (after[1]-before[1]).Seconds()/spent.Seconds())
	m.add("peak-MB", peak)
	m.add("late-s", good.latest().Seconds())
	b.Logf("p99 in ms: quiet %s; attacked %s; %.0f MB", &quiet, &attacked, peak)
	for _, line := range attackMetric.FindAll(take(b, p.address(), "/metrics", http.Header{}).Body, -1) {
		b.Logf("%s", line)
	}
}

// p99 is the time in ms within which 99 of 100 visits ended.
func p99(took []time.Duration) float64 {
	return slices.Sorted(slices.Values(took))[(len(took)-1)*99/100].Seconds() * 1000
}

// addTarpits adds sources with hosts of their own that accept connections and say nothing.
func (p *program) addTarpits(port string, count int) {
	p.b.Helper()
	var list strings.Builder
	list.WriteString(`<opml version="2.0"><body>`)
	for i := range count {
		fmt.Fprintf(&list, `<outline type="rss" text="tarpit" xmlUrl="http://127.2.%d.%d:%s/"/>`, i/250, i%250+1, port)
	}
	list.WriteString(`</body></opml>`)
	req, err := http.NewRequestWithContext(p.b.Context(), http.MethodPost, p.api.Base+"/api/v1/opml", strings.NewReader(list.String()))
	if err != nil {
		p.b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+benchToken)
	req.Header.Set("Content-Type", "text/x-opml")
	resp, err := p.api.Http.Do(req)
	if err != nil {
		p.b.Fatal(err)
	}
	defer resp.Body.Close()
	if text, _ := io.ReadAll(resp.Body); resp.StatusCode/100 != 2 {
		p.b.Fatalf("%s: %s", resp.Status, text)
	}
}

// visitor reads a feed and, signed in, a page of the desk, each time over a new connection. It reads the same feed from a server of
// net/http, and pings the Redis.
type visitor struct {
	client  *http.Client
	daemon  string
	machine string
	store   *storetest.Redigo
}

// visits is how long requests took.
type visits struct {
	feed, page, machine, store []time.Duration
	failed                     int
}

func (v *visits) daemon() []time.Duration { return slices.Concat(v.feed, v.page) }

func (v *visits) String() string {
	return fmt.Sprintf("feed %.1f, page %.1f, bare server %.1f, Redis %.1f", p99(v.feed), p99(v.page), p99(v.machine), p99(v.store))
}

func newVisitor(b *testing.B, p *program, machine string) *visitor {
	b.Helper()
	var added struct{ Link string }
	if err := p.api.Call(b.Context(), http.MethodPost, "/api/v1/users", map[string]string{"name": "ann", "role": "editor"}, &added); err != nil {
		b.Fatal(err)
	}
	link, err := url.Parse(added.Link)
	if err != nil {
		b.Fatal(err)
	}
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 9, 9, 9)}}
	v := &visitor{
		&http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}, Timeout: time.Minute}, p.api.Base, "http://" + machine, p.redis,
	}
	v.client.Jar, _ = cookiejar.New(nil)
	const password = "some words that are fine"
	resp, err := v.client.PostForm(p.api.Base+"/welcome", url.Values{"once": {link.Query().Get("once")}, "password": {password}, "again": {password}})
	if err != nil || resp.StatusCode != http.StatusOK {
		b.Fatal(resp, err)
	}
	_ = resp.Body.Close()
	return v
}

// visit visits for a while.
func (v *visitor) visit(b *testing.B, d time.Duration) (all visits) {
	b.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		begun := time.Now()
		v.store.Do("PING")
		all.store = append(all.store, time.Since(begun))
		for _, at := range []struct {
			url  string
			took *[]time.Duration
		}{{v.daemon + "/feed/production", &all.feed}, {v.daemon + "/account", &all.page}, {v.machine + "/", &all.machine}} {
			begun := time.Now()
			if err := v.get(at.url); err != nil {
				all.failed++
				b.Log(err)
			}
			*at.took = append(*at.took, time.Since(begun))
		}
		v.client.CloseIdleConnections()
	}
	return all
}

func (v *visitor) get(address string) error {
	resp, err := v.client.Get(address)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	if err == nil && (resp.StatusCode != http.StatusOK || resp.Request.URL.String() != address) {
		return fmt.Errorf("%s: %s", resp.Request.URL, resp.Status)
	}
	return err
}

// punctual is a source that records its polls.
type punctual struct {
	url      string
	interval time.Duration

	mu    sync.Mutex
	polls []time.Time
}

func newPunctual(b *testing.B, interval time.Duration) *punctual {
	p := &punctual{interval: interval}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.polls = append(p.polls, time.Now())
		_, _ = io.WriteString(w, `<rss version="2.0"><channel><title>Good</title><item><guid>1</guid><title>A post</title></item></channel></rss>`)
	}))
	b.Cleanup(server.Close)
	p.url = server.URL + "/"
	return p
}

// latest returns how much later than planned, with the largest jitter, a poll was at the most.
func (p *punctual) latest() (late time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := p.polls[0]
	for _, at := range append(p.polls[1:], time.Now()) {
		late, last = max(late, at.Sub(last)-p.interval*11/10), at
	}
	return late
}
