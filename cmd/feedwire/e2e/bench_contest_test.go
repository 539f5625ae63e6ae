package e2e

import (
	"cmp"
	"fmt"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"
)

// contest is servers of the same answer that take turns of a second under the load of 64 clients, so that whatever else
// runs on the machine slows them alike.
type contest []*contestant

type contestant struct {
	name     string
	pid      int
	load     func() turn
	turns    []turn
	requests int
	cpu      time.Duration // for all of them
}

// turn is what one load brought.
type turn struct {
	requests int
	rate     float64 // answers a second
	p99      float64 // ms
}

// add takes in a server. Ours comes first.
func (c *contest) add(b *testing.B, name string, pid int, address, path string, header http.Header) {
	b.Helper()
	load := crowdLoad(b, address, path, header)
	if wrk, err := exec.LookPath("wrk"); err == nil {
		load = wrkLoad(b, wrk, address, path, header)
	}
	*c = append(*c, &contestant{name: name, pid: pid, load: load})
}

// run measures until the benchmark has seen enough. Of-limit is the share of the limit's requests a second that ours
// reaches, the median of turns that follow each other, and cpu-of-limit that of its processor time for a request, in all
// turns: another program on the machine disturbs it less. The limit has the same limits of time as the daemon's server;
// bare is the same without any. Settle is called before each turn.
func (c contest) run(b *testing.B, settle func()) {
	order := slices.Clone(c)
	for b.Loop() {
		for range 4 {
			for _, one := range order {
				settle()
				before := processCPU(b, one.pid)
				t := one.load()
				time.Sleep(100 * time.Millisecond) // fetches are recorded a little later
				one.turns, one.requests = append(one.turns, t), one.requests+t.requests
				one.cpu += processCPU(b, one.pid) - before
			}
			slices.Reverse(order) // who goes second finds warmer caches
		}
	}
	ours := c[0]
	b.ReportMetric(1e9/median(ours.all(turn.speed)), "ns/op")
	b.ReportMetric(median(ours.all(turn.slowest)), "p99-ms")
	b.ReportMetric(ours.each(), "cpu-us")
	for _, other := range c[1:] {
		shares := ours.all(turn.speed)
		for i, speed := range other.all(turn.speed) {
			shares[i] /= speed
		}
		b.ReportMetric(median(shares), "of-"+other.name)
		b.ReportMetric(other.each()/ours.each(), "cpu-of-"+other.name)
		b.ReportMetric(median(other.all(turn.slowest)), other.name+"-p99-ms")
	}
}

func (t turn) speed() float64   { return t.rate }
func (t turn) slowest() float64 { return t.p99 }

func (c *contestant) all(of func(turn) float64) (all []float64) {
	for _, t := range c.turns {
		all = append(all, of(t))
	}
	return all
}

// each is the processor time of one request in microseconds.
func (c *contestant) each() float64 { return c.cpu.Seconds() * 1e6 / float64(c.requests) }

func median[T cmp.Ordered](all []T) T { return slices.Sorted(slices.Values(all))[len(all)/2] }

// crowdLoad is for machines without wrk.
func crowdLoad(b *testing.B, address, path string, header http.Header) func() turn {
	c := newCrowd(b, 64, address, path, header)
	return func() turn {
		clear(c.took)
		start := time.Now()
		requests := 0
		for time.Since(start) < time.Second {
			c.fetch(8)
			requests += 8 * len(c.conns)
		}
		return turn{requests, float64(requests) / time.Since(start).Seconds(), c.within(0.99)}
	}
}

var (
	wrkRequests = regexp.MustCompile(`(\d+) requests in`)
	wrkRate     = regexp.MustCompile(`Requests/sec:\s+([\d.]+)`)
	wrkP99      = regexp.MustCompile(`99%\s+([\d.]+[mu]?s)`)
	wrkRefused  = regexp.MustCompile(`Non-2xx or 3xx responses: (\d+)`)
)

// wrkLoad does not take a refusal for an answer, as there may be where fetches are counted and Redis gets no processor.
func wrkLoad(b *testing.B, wrk, address, path string, header http.Header) func() turn {
	b.Helper()
	args := []string{"-t2", "-c64", "-d1s", "--latency", "http://" + address + path}
	for name, values := range header {
		args = append(args, "-H", name+": "+values[0])
	}
	return func() turn {
		out, err := exec.CommandContext(b.Context(), wrk, args...).CombinedOutput()
		if err != nil {
			b.Fatalf("wrk: %v\n%s", err, out)
		}
		find := func(r *regexp.Regexp) string {
			found := r.FindSubmatch(out)
			if found == nil {
				b.Fatalf("wrk does not say %s:\n%s", r, out)
			}
			return string(found[1])
		}
		requests, _ := strconv.Atoi(find(wrkRequests))
		rate, _ := strconv.ParseFloat(find(wrkRate), 64)
		if refused := wrkRefused.FindSubmatch(out); refused != nil {
			n, _ := strconv.Atoi(string(refused[1]))
			rate *= float64(requests-n) / float64(requests)
		}
		p99, err := time.ParseDuration(find(wrkP99))
		if err != nil {
			b.Fatal(fmt.Errorf("wrk: %w", err))
		}
		return turn{requests, rate, p99.Seconds() * 1000}
	}
}
