package core_test

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/feedwire/feedwire/store/core"
)

// An outage, in which every operation fails in every way, adds no series.
func TestFailuresAddNoSeries(t *testing.T) {
	reg := prometheus.NewRegistry()
	db, err := core.New(core.Options{URL: "redis://127.0.0.1:1", Registerer: reg})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.GroupMetrics("entries", "save_entries", "entry")
	const name, groups = "feedwire_redis_commands_total", 5 // check, wait, signals, entries, other
	before, err := testutil.GatherAndCount(reg, name)
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range core.Classes() {
		for _, op := range []string{"check", "save_entries", "claim_deliveries", "HMGET", "\xff"} {
			db.Observe(op, class)
		}
	}
	after, err := testutil.GatherAndCount(reg, name)
	if err != nil {
		t.Fatal(err)
	}
	if want := groups * len(core.Classes()); before != want || after != want {
		t.Errorf("%d series of %s at the start and %d in an outage, want %d", before, name, after, want)
	}
}
