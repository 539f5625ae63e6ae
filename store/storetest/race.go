package storetest

import (
	"slices"
	"testing"
	"time"
)

// Race is work done in two ways: as the program does it, and as fast as the machine can. Both take turns in small rounds,
// so that whatever else runs on the machine slows them alike.
type Race struct {
	Ours, Limit func()
	Before      func() // before each turn, not measured; nil: nothing
	Ops         int    // operations in one turn; 0: one
}

// Run measures until the benchmark has seen enough and reports medians: ns/op of ours, limit-ns/op, and of-limit, the
// share of the limit's speed that ours reaches.
func (r Race) Run(b *testing.B) {
	b.Helper()
	turns := [2]func(){r.Ours, r.Limit}
	var spent [2][]time.Duration
	for first := 0; b.Loop(); first = 1 - first { // who goes second finds warmer caches
		for _, i := range []int{first, 1 - first} {
			if r.Before != nil {
				r.Before()
			}
			start := time.Now()
			turns[i]()
			spent[i] = append(spent[i], time.Since(start))
		}
	}
	ops := float64(max(1, r.Ops))
	ours, limit := median(spent[0]), median(spent[1])
	b.ReportMetric(ours/ops, "ns/op")
	b.ReportMetric(limit/ops, "limit-ns/op")
	b.ReportMetric(limit/ours, "of-limit")
}

func median(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)/2])
}
