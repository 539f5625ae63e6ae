package e2e

import (
	"runtime"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
)

// Without a thread of its own, a password that is hashed delays every request by up to 10 ms on a machine with two processors.
func TestTasksHaveThreadsBesideThoseOfRequests(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	runtime.SetDefaultGOMAXPROCS()
	p := wiretest.NewProcess(t, wiretest.BuildBinary(t), "store: {embedded: memory}")
	p.Start()
	p.Ready()
	processors := runtime.GOMAXPROCS(0)
	if got, want := scrape(t, p.Address, "go_sched_gomaxprocs_threads", ""), processors+max(processors/2, 1); int(got) != want {
		t.Errorf("%v threads run Go code on %d processors, want %d", got, processors, want)
	}
}
