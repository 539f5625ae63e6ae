package e2e

import (
	"bufio"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// The readers of BenchmarkTimelineHTTP. A timeline has 400 entries of 3 KB.
const (
	benchReaders = 200
	benchSources = 100
	benchFollows = 20 // of a reader
	benchEntries = 20 // of a source
	benchWalks   = 10 // of a client in a round, so that clients seldom wait for the last one of a round
)

// BenchmarkTimelineHTTP (B2) has 16 clients read the timelines of random readers, page by page from the first to the last one, over
// connections that stay open: GET /feed with 10 entries, and the page /read with 30. It fails if a client misses an entry or gets one twice.
func BenchmarkTimelineHTTP(b *testing.B) {
	for _, bc := range []pageForm{
		{"/feed", regexp.MustCompile(`{"id":(\d+)`), regexp.MustCompile(`"next_cursor":"([^"]+)"`)},
		{"/read", regexp.MustCompile(`<h2><a href="/read/entries/(\d+)`), regexp.MustCompile(`<a href="/read\?cursor=([^"]+)" rel="next"`)},
	} {
		b.Run(bc.path[1:], func(b *testing.B) {
			redis := storetest.RedisAOF(b)
			storetest.Commands(b, redis.Dial).Do("CONFIG", "SET", "appendfsync", "no")
			readers := seedReaders(b, storetest.New(b, store.Options{Dial: redis.Dial}))
			storetest.Commands(b, redis.Dial).Do("CONFIG", "SET", "appendfsync", "always")
			p := startProgram(b, redis, "auth: {proxy_header: X-Remote-User, proxy_networks: [127.0.0.0/8]}\n")
			p.rest()
			walkers := make([]*walker, 16)
			for i := range walkers {
				walkers[i] = newWalker(b, p.address(), bc)
			}
			var all sync.WaitGroup
			for i, w := range walkers { // the caches are built
				all.Go(func() {
					for n := i; n < len(readers); n += len(walkers) {
						w.walk(&readers[n])
					}
				})
			}
			all.Wait()
			for _, w := range walkers {
				w.took = nil
			}
			var used spent
			before, own := p.cpu(b), storetest.ProcessorTime(b)
			for b.Loop() {
				used.add(p.measure(func() {
					for _, w := range walkers {
						all.Go(func() {
							for range benchWalks {
								w.walk(&readers[mathrand.IntN(len(readers))])
							}
						})
					}
					all.Wait()
				}))
			}
			daemon, own := p.cpu(b)-before, storetest.ProcessorTime(b)-own
			var took []time.Duration
			for _, w := range walkers {
				took = append(took, w.took...)
			}
			slices.Sort(took)
			each := func(spent time.Duration) float64 { return spent.Seconds() * 1e3 / float64(len(took)) }
			b.ReportMetric(float64(len(took))/used.wall.Seconds(), "pages/s")
			b.ReportMetric(took[len(took)/2].Seconds()*1e3, "p50-ms")
			b.ReportMetric(took[len(took)*99/100].Seconds()*1e3, "p99-ms")
			b.ReportMetric(each(daemon), "daemon-ms/page")
			b.ReportMetric(each(used.cpu-daemon), "redis-ms/page")
			b.ReportMetric(each(own), "clients-ms/page")
		})
	}
}

// benchReader is an account and the numbers of the entries in its timeline, newest first.
type benchReader struct {
	name, token string
	timeline    []string
}

// seedReaders stores sources with entries, and accounts with tokens that follow some of them.
func seedReaders(b *testing.B, s *store.Store) []benchReader {
	b.Helper()
	check := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	begun := time.Now().Add(-time.Hour).Truncate(time.Second)
	numbers := make([][]string, benchSources) // by source
	url := func(source int) string { return fmt.Sprintf("http://s%d.example/feed.xml", source) }
	at := make(map[string]int) // by number: the order of time
	for n := range benchEntries {
		for source := range benchSources {
			order := n*benchSources + source
			e := feed.Entry{
				FeedURL: url(source), GUID: strconv.Itoa(n), Title: fmt.Sprintf("What happened at site %d on day %d", source, n),
				Link: fmt.Sprintf("http://s%d.example/%d", source, n), Timestamp: begun.Add(time.Duration(order) * time.Second),
				Content: storetest.Prose(mathrand.New(mathrand.NewPCG(uint64(source), uint64(n))), 3072),
			}
			check(s.Entries.SaveEntry(b.Context(), &e))
			numbers[source], at[e.Number()] = append(numbers[source], e.Number()), order
		}
	}
	readers := make([]benchReader, benchReaders)
	for i := range readers {
		r := &readers[i]
		r.name = fmt.Sprint("reader", i)
		r.token = feed.TokenText(r.name, "secret")
		check(s.People.AddAccount(b.Context(), feed.Account{Name: r.name, Role: feed.RoleMember, Created: time.Now()}))
		check(s.People.AddToken(b.Context(), feed.Token{
			ID: r.name, Name: r.name, Scopes: []feed.Scope{feed.ScopeFollows}, Creator: r.name, Created: time.Now(), Sum: feed.HashSecret("secret"),
		}))
		a, err := s.People.Account(b.Context(), r.name)
		check(err)
		for _, source := range mathrand.Perm(benchSources)[:benchFollows] {
			_, err := s.Timelines.Follow(b.Context(), a.ID, feed.Follow{FeedURL: url(source)})
			check(err)
			r.timeline = append(r.timeline, numbers[source]...)
		}
		slices.SortFunc(r.timeline, func(a, b string) int { return at[b] - at[a] })
	}
	return readers
}

// pageForm is a path, and how to find the numbers of the entries in its pages, and the cursor of the next page.
type pageForm struct {
	path          string
	number, after *regexp.Regexp
}

// walker is a client with a connection.
type walker struct {
	pageForm
	b    *testing.B
	conn net.Conn
	from *bufio.Reader
	took []time.Duration
}

func newWalker(b *testing.B, address string, form pageForm) *walker {
	b.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	return &walker{pageForm: form, b: b, conn: conn, from: bufio.NewReader(conn)}
}

// walk reads all pages of a reader.
func (w *walker) walk(r *benchReader) {
	var got []string
	for query := ""; ; {
		page := w.page(r, w.path+query)
		for _, m := range w.number.FindAllSubmatch(page, -1) {
			got = append(got, string(m[1]))
		}
		next := w.after.FindSubmatch(page)
		if next == nil {
			break
		}
		query = "?cursor=" + string(next[1])
	}
	if !slices.Equal(got, r.timeline) {
		w.b.Errorf("%s got %d entries, want %d: %v, %v", r.name, len(got), len(r.timeline), got, r.timeline)
	}
}

// page reads a page; nil if that failed.
func (w *walker) page(r *benchReader, path string) []byte {
	start := time.Now()
	_ = w.conn.SetDeadline(start.Add(time.Minute))
	identity := "Authorization: Bearer " + r.token
	if w.path == "/read" {
		identity = "X-Remote-User: " + r.name
	}
	fmt.Fprintf(w.conn, "GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n", path, identity) // a failure shows with the response
	resp, err := http.ReadResponse(w.from, nil)
	if err != nil {
		w.b.Error(err)
		return nil
	}
	page, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		w.b.Errorf("%s gets %d, %v: %.300s", path, resp.StatusCode, err, page)
		return nil
	}
	w.took = append(w.took, time.Since(start))
	return page
}
