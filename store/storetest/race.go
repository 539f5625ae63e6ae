package storetest

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Race is work done in two ways: as the program does it, and as fast as the machine can. Both take turns in small rounds,
// so that whatever else runs on the machine slows them alike.
type Race struct {
	Ours, Limit func()
	Before      func() // before each turn, not measured; nil: nothing
	Ops         int    // operations in one turn; 0: one
	Rounds      int    // each time that the benchmark asks for one, for those that last; 0: one
}

// Run measures until the benchmark has seen enough and reports medians: ns/op of ours, limit-ns/op, and of-limit, the
// share of the limit's speed that ours reaches, of two turns that follow each other.
func (r Race) Run(b *testing.B) {
	b.Helper()
	turns := [2]func(){r.Ours, r.Limit}
	var ours, limit, share []float64
	first := 0
	for b.Loop() {
		for range max(1, r.Rounds) {
			var spent [2]float64
			for _, i := range []int{first, 1 - first} {
				if r.Before != nil {
					r.Before()
				}
				start := time.Now()
				turns[i]()
				spent[i] = float64(time.Since(start))
			}
			ours, limit, share = append(ours, spent[0]), append(limit, spent[1]), append(share, spent[1]/spent[0])
			first = 1 - first // who goes second finds warmer caches
		}
	}
	ops := float64(max(1, r.Ops))
	b.ReportMetric(median(ours)/ops, "ns/op")
	b.ReportMetric(median(limit)/ops, "limit-ns/op")
	b.ReportMetric(median(share), "of-limit")
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// ProcessorTime is how much of it this process has taken, with all that runs in it. On a machine with other work it tells more than
// a clock does.
func ProcessorTime(tb testing.TB) time.Duration {
	tb.Helper()
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(own.Utime.Nano() + own.Stime.Nano())
}

// ProcessorTime returns the processor time that the server has used.
func (s *Server) ProcessorTime() (sum time.Duration) {
	s.tb.Helper()
	info := string(Commands(s.tb, s.Dial).Do("INFO", "cpu").([]byte))
	for line := range strings.Lines(info) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name == "used_cpu_user" || name == "used_cpu_sys" {
			spent, err := time.ParseDuration(value + "s")
			if err != nil {
				s.tb.Fatal(err)
			}
			sum += spent
		}
	}
	return sum
}
