package delivery_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// sink accepts deliveries at many addresses of this machine, as fast as possible.
type sink struct {
	hosts []string
	count atomic.Int64
	await atomic.Int64
	full  chan struct{} // gets a token when so many as are awaited have come

	apart func(n int) bool // subscribers that are not counted; nil: none
	slow  atomic.Bool      // they answer after two seconds
	first atomic.Int64     // Unix nanoseconds of the first since await
}

func newSink(b testing.TB, hosts int) *sink {
	b.Helper()
	s := &sink{full: make(chan struct{}, 1)}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		if n, _ := strconv.Atoi(r.URL.Path[len("/cb/"):]); s.apart != nil && s.apart(n) {
			if s.slow.Load() {
				time.Sleep(2 * time.Second)
			}
			w.WriteHeader(http.StatusNoContent)
			return
		}
		s.first.CompareAndSwap(0, time.Now().UnixNano())
		w.WriteHeader(http.StatusNoContent)
		if s.count.Add(1) == s.await.Load() {
			s.full <- struct{}{}
		}
	})
	for n := range hosts {
		l, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", fmt.Sprintf("127.0.0.%d:0", n+1))
		if err != nil {
			b.Fatal(err)
		}
		srv := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
		go func() { _ = srv.Serve(l) }()
		b.Cleanup(func() { _ = srv.Close() })
		s.hosts = append(s.hosts, "http://"+l.Addr().String())
	}
	return s
}

// callback returns the URL of a subscriber.
func (s *sink) callback(n int) string { return s.hosts[hostOf(n, len(s.hosts))] + numbered(n) }

// hostOf returns the host of a subscriber. Twenty neighbours share a host, so that one in twenty is one at each host.
func hostOf(n, hosts int) int { return n / 20 % hosts }

// expect makes the sink count to n.
func (s *sink) expect(n int) {
	s.count.Store(0)
	s.first.Store(0)
	s.await.Store(int64(n))
}

// entryNews returns an update of about size bytes.
func entryNews(random *rand.Rand, size int) []byte {
	return []byte(storetest.Prose(random, size))
}

// bare is the limit: a client without a hub that signs and sends the same requests with as many workers.
func bare(b *testing.B, client *http.Client, callbacks []string, body []byte, workers int) {
	b.Helper()
	var next atomic.Int64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for {
				n := int(next.Add(1)) - 1
				if n >= len(callbacks) {
					return
				}
				req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, callbacks[n], bytes.NewReader(body))
				if err != nil {
					b.Error(err)
					return
				}
				req.Header.Set("Content-Type", "application/atom+xml")
				req.Header.Set("Link", `<http://127.0.0.1/hub>; rel="hub", <`+harbour+`>; rel="self"`)
				req.Header.Set(websub.SignatureHeader, websub.Sign(websub.SHA256, "secret"+strconv.Itoa(n), body))
				resp, err := client.Do(req)
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
	all.Wait()
}

// BenchmarkFanOut delivers one update of 10 KB to each subscriber of a topic, 50 addresses, connections kept open, a Redis
// that writes each command to disk. The limit is a bare client with as many workers. See storetest.Race for what is
// reported; an operation is one delivery.
func BenchmarkFanOut(b *testing.B) {
	for _, subscribers := range []int{1, 10, 100, 1000, 10_000} {
		b.Run(strconv.Itoa(subscribers), func(b *testing.B) { fanOut(b, 50, subscribers) })
	}
	b.Run("1000 at one host", func(b *testing.B) { fanOut(b, 1, 1000) })
}

func fanOut(b *testing.B, hosts, subscribers int) {
	const workers = 64
	s := newSink(b, hosts)
	d := newHarness(b, storetest.RedisAOF(b).Dial)
	var callbacks []string
	for n := range subscribers {
		callbacks = append(callbacks, s.callback(n))
		d.subscribe(s.callback(n), "secret"+strconv.Itoa(n))
	}
	d.run(delivery.Options{Workers: workers, HubURL: "http://127.0.0.1/hub", Attempts: 10}) // as by default
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: workers}}
	b.Cleanup(client.CloseIdleConnections)
	random := rand.New(rand.NewPCG(1, 2))
	body := entryNews(random, 10_000)
	storetest.Race{
		Before: func() {
			s.expect(subscribers)
			rest(b, d)
		},
		Ours: func() {
			d.news(string(body)+strconv.Itoa(random.Int()), false)
			<-s.full
		},
		Limit: func() {
			bare(b, client, callbacks, body, workers)
			<-s.full
		},
		Ops: subscribers,
	}.Run(b)
}

// BenchmarkFanOutSlow does the same with 1,000 subscribers of which some answer after 2 s: one in twenty everywhere, or all
// of five hosts, as if these were stalled. It measures when all others are served. The limit is the hub itself without slow
// subscribers: if they delay no others, of-limit is 1 and later-ms is 0.
func BenchmarkFanOutSlow(b *testing.B) {
	const hosts, subscribers = 50, 1000
	for _, bc := range []struct {
		name string
		slow func(n int) bool
	}{
		{"some everywhere", func(n int) bool { return n%20 == 0 }},
		{"five hosts", func(n int) bool { return hostOf(n, hosts) < 5 }},
	} {
		b.Run(bc.name, func(b *testing.B) { fanOutSlow(b, hosts, subscribers, bc.slow) })
	}
}

func fanOutSlow(b *testing.B, hosts, subscribers int, slow func(n int) bool) {
	s := newSink(b, hosts)
	s.apart = slow
	d := newHarness(b, storetest.RedisAOF(b).Dial)
	fast := 0
	for n := range subscribers {
		d.subscribe(s.callback(n), "secret")
		if !slow(n) {
			fast++
		}
	}
	d.run(delivery.Options{})
	var spent [2][]time.Duration // without and with slow ones
	turn := func(slow bool, spent *[]time.Duration) func() {
		return func() {
			s.slow.Store(slow)
			start := time.Now()
			d.news(start.String(), false)
			<-s.full
			*spent = append(*spent, time.Since(start))
		}
	}
	storetest.Race{
		Before: func() {
			s.expect(fast)
			rest(b, d)
		},
		Ours: turn(true, &spent[1]), Limit: turn(false, &spent[0]), Ops: fast, Rounds: 9, // each lasts as long as the slow ones
	}.Run(b)
	for i := range spent {
		slices.Sort(spent[i])
	}
	b.ReportMetric(float64(spent[1][len(spent[1])/2]-spent[0][len(spent[0])/2])/1e6, "later-ms")
}

// rest waits until the hub has nothing to do.
func rest(b *testing.B, d *harness) {
	b.Helper()
	eventually(b, "no delivery is in progress", func() bool {
		state, err := d.Hub.HubState(context.Background())
		return err == nil && state.Ready+state.Later+state.Planning == 0
	})
}

// BenchmarkFirstDelivery measures the time from the commit of a version to its first delivery, of 1,000 subscribers.
func BenchmarkFirstDelivery(b *testing.B) {
	const subscribers = 1000
	s := newSink(b, 50)
	d := newHarness(b, storetest.RedisAOF(b).Dial)
	for n := range subscribers {
		d.subscribe(s.callback(n), "secret")
	}
	d.run(delivery.Options{})
	var all []time.Duration
	for b.Loop() {
		s.expect(subscribers)
		rest(b, d)
		start := time.Now()
		d.news(strconv.Itoa(len(all)), false)
		<-s.full
		all = append(all, time.Unix(0, s.first.Load()).Sub(start))
	}
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2])/1e6, "median-ms")
}

// BenchmarkPlan queues 100,000 subscriptions of a topic, each with a callback and a secret of a usual length, and counts
// the bytes of Redis that a subscription and a queued delivery take, indexes included.
func BenchmarkPlan(b *testing.B) {
	const subscribers = 100_000
	for _, bc := range []struct {
		name  string
		hosts int
	}{{"50 hosts", 50}, {"a host each", subscribers}} {
		b.Run(bc.name, func(b *testing.B) {
			dial := storetest.Redis(b)
			d := newHarness(b, dial)
			empty := memory(b, dial)
			var all sync.WaitGroup
			for part := range 8 {
				all.Go(func() {
					for n := part; n < subscribers; n += 8 {
						d.subscribe(fmt.Sprintf("https://reader%d.example/websub/callback/%032x", n%bc.hosts, n), "0123456789abcdef0123456789abcdef")
					}
				})
			}
			all.Wait()
			idle := memory(b, dial)
			var spent []float64
			queued := idle
			for b.Loop() {
				d.news("news", false)
				start := time.Now()
				plan(b, d)
				spent = append(spent, time.Since(start).Seconds())
				queued = memory(b, dial)
				finishAll(b, d, 0)
			}
			slices.Sort(spent)
			b.ReportMetric(spent[len(spent)/2], "planned-s")
			b.ReportMetric(float64(idle-empty)/subscribers, "B/subscription")
			b.ReportMetric(float64(queued-idle)/subscribers, "B/queued")
			for range 10 {
				d.news("news", false)
				plan(b, d)
				finishAll(b, d, 10)
			}
			b.ReportMetric(float64(memory(b, dial)-idle)/subscribers, "B/10-attempts")
		})
	}
}

// plan queues the subscriptions of all topics.
func plan(b *testing.B, d *harness) {
	b.Helper()
	for more := true; more; {
		var err error
		if _, more, err = d.Hub.PlanDeliveries(b.Context(), 1000); err != nil {
			b.Fatal(err)
		}
	}
}

// finishAll claims all deliveries and stores that they were accepted, and the last attempts of each, all failures.
func finishAll(b *testing.B, d *harness, attempts int) {
	b.Helper()
	attempt := feed.Attempt{Time: d.Now(), Version: d.Now().UnixMilli(), Duration: feed.Duration(12 * time.Millisecond), Status: 404, Reason: "4xx"}
	after := ""
	for {
		all, next, _, err := d.Hub.ClaimDeliveries(b.Context(), feed.DeliveryClaim{Limit: 1000, PerHost: 1000, After: after, Lease: time.Hour})
		if err != nil {
			b.Fatal(err)
		}
		if len(all) == 0 {
			return
		}
		after = next
		settlements := make([]feed.DeliveryResult, len(all))
		for i := range all {
			settlements[i] = feed.DeliveryResult{Delivery: all[i], Outcome: feed.Delivered, Attempt: attempt, MaxAttempts: attempts}
		}
		if _, _, err := d.Hub.FinishDeliveries(b.Context(), settlements); err != nil {
			b.Fatal(err)
		}
	}
}

// memory returns the memory that Redis reports.
func memory(b *testing.B, dial store.DialFunc) int {
	b.Helper()
	conn, err := dial(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "INFO memory\r\n"); err != nil {
		b.Fatal(err)
	}
	for lines := bufio.NewReader(conn); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			b.Fatal(err)
		}
		if text, ok := strings.CutPrefix(line, "used_memory:"); ok {
			n, err := strconv.Atoi(strings.TrimSpace(text))
			if err != nil {
				b.Fatal(err)
			}
			return n
		}
	}
}
