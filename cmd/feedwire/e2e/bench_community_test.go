package e2e

import (
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// The community of BenchmarkCommunityHTTP, and the rates of requests.
const (
	talkMembers  = 10_000
	talkAuthors  = 500 // members who submit
	talkNews     = 10_000
	talkComments = 100_000
	talkThread   = 2000 // comments on the newest submission
	talkTime     = 10 * time.Second
	talkReads    = 500 // per second
	talkWrites   = 50  // per second: votes, a comment for each ten of them, and a submission for each forty
)

// BenchmarkCommunityHTTP sends requests to a community at fixed rates, whether earlier ones have been answered or not: pages as visitors and members
// read them, and votes, comments and submissions of members. It reports the time from the moment at which a request was due, and what the
// members, submissions and comments take in Redis. Run it with -benchtime 1x.
func BenchmarkCommunityHTTP(b *testing.B) {
	redis := storetest.RedisAOF(b)
	raw := storetest.Commands(b, redis.Dial)
	raw.Do("CONFIG", "SET", "appendfsync", "no")
	t := &talk{b: b, raw: raw, now: time.Now().Add(-48 * time.Hour), took: map[string][]time.Duration{}, sizes: map[string]float64{}}
	t.seed(storetest.New(b, store.Options{Dial: redis.Dial, Now: func() time.Time { return t.now }}))
	raw.Do("CONFIG", "SET", "appendfsync", "always")
	t.program = startProgram(b, redis, "auth: {proxy_header: X-Remote-User, proxy_networks: [127.0.0.0/8]}\ncommunity: {enabled: true, new_account_age: 0}\n")
	t.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}, Timeout: time.Minute}
	b.Cleanup(t.client.CloseIdleConnections)
	for range 2000 { // caches
		t.read(time.Now())
	}
	t.took, t.failed = map[string][]time.Duration{}, 0
	t.program.rest()
	var used spent
	before := t.program.cpu(b)
	for b.Loop() {
		used.add(t.program.measure(t.load))
	}
	daemon := t.program.cpu(b) - before
	t.report(used, daemon)
}

// talk is a community under load.
type talk struct {
	b       *testing.B
	raw     *storetest.Redigo
	now     time.Time // of the store while it is filled
	sizes   map[string]float64
	program *program
	client  *http.Client

	mu      sync.Mutex
	took    map[string][]time.Duration // by kind of request
	refused int                        // writes that the community does not accept, such as a second vote
	failed  int
}

// seed stores members, submissions and comments, and reports their memory.
func (t *talk) seed(s *store.Store) {
	check := func(err error) {
		t.b.Helper()
		if err != nil {
			t.b.Fatal(err)
		}
	}
	at := t.memory()
	stage := func(what string, n int) {
		t.b.Helper()
		after := t.memory()
		t.sizes["B/"+what] = float64(after-at) / float64(n)
		at = after
	}
	for n := range talkMembers {
		check(s.People.AddAccount(t.b.Context(), feed.Account{Name: memberName(n), Role: feed.RoleMember, Created: t.now}))
		t.raw.Do("HSET", fmt.Sprint("user:", n+1), "karma", 1000) // votes cost karma
	}
	stage("member", talkMembers)
	for n := range talkAuthors {
		_, _, err := s.Sources.AddSource(t.b.Context(), feed.Source{URL: feed.MemberURL(int64(n + 1))})
		check(err)
	}
	stage("author", talkAuthors)
	for n := range talkNews {
		t.now = t.now.Add(10 * time.Second)
		e := feed.Entry{
			FeedURL: feed.MemberURL(int64(n%talkAuthors + 1)), GUID: strconv.Itoa(n), Title: fmt.Sprintf("What happened at the harbour on day %d", n),
			Link: fmt.Sprintf("https://a.example/%d", n), Timestamp: t.now.Truncate(time.Second),
		}
		check(s.Entries.SaveEntry(t.b.Context(), &e))
		check(s.Community.Submit(t.b.Context(), &e, &feed.Submission{Title: e.Title, URL: e.Link}, true))
	}
	stage("submission", talkNews)
	last := make(map[int]int64) // comment by submission
	for c := range talkComments {
		t.now = t.now.Add(time.Second / 2)
		news := talkNews
		if c >= talkThread {
			news = 1 + mathrand.IntN(talkNews-1)
		}
		parent := int64(feed.NoParent)
		if c%20 < 12 && last[news] != 0 {
			parent = last[news]
		}
		id, err := s.Community.AddComment(t.b.Context(), int64(news), int64(c%talkMembers+1), parent,
			fmt.Sprintf("Comment %d has a few words and a link, https://a.example/c/%d\n\n> It quotes.\n\nThat is all that there is to say.", c, c))
		check(err)
		if last[news] = id; c%5 == 4 {
			last[news] = 0
		}
	}
	stage("comment", talkComments)
	check(s.Community.RankNews(t.b.Context()))
}

func memberName(n int) string { return fmt.Sprint("member", n) }

// memory returns the bytes that Redis uses for data.
func (t *talk) memory() int {
	for line := range strings.Lines(string(t.raw.Do("INFO", "memory").([]byte))) {
		if text, ok := strings.CutPrefix(line, "used_memory:"); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(text))
			return n
		}
	}
	t.b.Fatal("Redis does not tell its memory")
	return 0
}

// load sends requests at the rates for talkTime.
func (t *talk) load() {
	var all sync.WaitGroup
	begin := time.Now()
	every := func(rate int, send func(due time.Time)) {
		for i := range int(talkTime.Seconds()) * rate {
			due := begin.Add(time.Duration(i) * time.Second / time.Duration(rate))
			time.Sleep(time.Until(due))
			all.Go(func() { send(due) })
		}
	}
	all.Go(func() { every(talkWrites, t.write) })
	every(talkReads, t.read)
	all.Wait()
}

// read sends a request for a page, half of them as a member.
func (t *talk) read(due time.Time) {
	member := memberName(mathrand.IntN(talkMembers))
	kind, path := "item", fmt.Sprint("/news/", 1+mathrand.IntN(talkNews-1))
	signedIn := mathrand.IntN(2) == 0
	switch n := mathrand.IntN(100); {
	case n < 35:
		kind, path = "top", ""
	case n < 55:
		kind, path = "latest", "/latest"
	case n < 58:
		kind, path = "thread", fmt.Sprint("/news/", talkNews)
	case n < 65:
		kind, path = "member", "/user/"+member
	case n < 70:
		kind, path, signedIn = "replies", "/replies", true
	}
	req, err := http.NewRequestWithContext(t.b.Context(), http.MethodGet, t.program.api.Base+"/community"+path, nil)
	if err != nil {
		t.b.Error(err)
		return
	}
	if signedIn {
		req.Header.Set("X-Remote-User", member)
	}
	t.send(kind, due, req)
}

// write sends a vote, a comment or a submission of a member.
func (t *talk) write(due time.Time) {
	news := talkNews - mathrand.IntN(500)
	kind, method, path, body := "vote", http.MethodPut, fmt.Sprintf("submissions/%d/vote", news), `{"vote": "up"}`
	switch n := mathrand.IntN(40); {
	case n == 0:
		kind, method, path, body = "submit", http.MethodPost, "submissions", fmt.Sprintf(`{"title": "News %d", "text": "What do you think?"}`, mathrand.Int())
	case n <= 4:
		kind, method, path, body = "comment", http.MethodPost, fmt.Sprintf("entries/%d/comments", news), `{"body": "A comment with a few words."}`
	}
	url := fmt.Sprintf("%s/api/v1/%s?user=%s", t.program.api.Base, path, memberName(mathrand.IntN(talkMembers)))
	req, err := http.NewRequestWithContext(t.b.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.b.Error(err)
		return
	}
	req.Header.Set("Authorization", "Bearer "+benchToken)
	req.Header.Set("Content-Type", "application/json")
	t.send(kind, due, req)
}

func (t *talk) send(kind string, due time.Time, req *http.Request) {
	resp, err := t.client.Do(req)
	status := 0
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		status = resp.StatusCode
	}
	took := time.Since(due)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err != nil || status >= http.StatusInternalServerError || req.Method == http.MethodGet && status != http.StatusOK:
		if t.failed++; t.failed < 5 {
			t.b.Logf("%s %s: %d, %v", req.Method, req.URL.Path, status, err)
		}
	case status >= http.StatusBadRequest:
		t.refused++
	}
	t.took[kind] = append(t.took[kind], took)
}

// report reports the times of each kind of request, and the processor time of a request.
func (t *talk) report(used spent, daemon time.Duration) {
	var all, pages []time.Duration
	for kind, took := range t.took {
		slices.Sort(took)
		t.b.ReportMetric(took[len(took)*99/100].Seconds()*1e3, "p99-ms-"+kind)
		all = append(all, took...)
		if !slices.Contains([]string{"vote", "comment", "submit"}, kind) {
			pages = append(pages, took...)
		}
	}
	slices.Sort(pages)
	each := func(d time.Duration) float64 { return d.Seconds() * 1e3 / float64(len(all)) }
	for what, size := range t.sizes {
		t.b.ReportMetric(size, what)
	}
	rss, _ := t.program.memory()
	t.b.ReportMetric(float64(len(pages))/used.wall.Seconds(), "pages/s")
	t.b.ReportMetric(pages[len(pages)/2].Seconds()*1e3, "p50-ms")
	t.b.ReportMetric(pages[len(pages)*99/100].Seconds()*1e3, "p99-ms")
	t.b.ReportMetric(each(daemon), "daemon-ms/request")
	t.b.ReportMetric(each(used.cpu-daemon), "redis-ms/request")
	t.b.ReportMetric(rss, "daemon-MB")
	t.b.ReportMetric(float64(t.refused), "refused")
	t.b.ReportMetric(float64(t.failed), "failed")
}
