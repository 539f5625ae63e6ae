package e2e

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/storetest"
)

// A benchmark runs this program again for servers that must not share its processors' time.
func TestMain(m *testing.M) {
	if size := os.Getenv(benchOriginSize); size != "" {
		serveBenchOrigin(size)
		return
	}
	if kind := os.Getenv(benchAnswer); kind != "" {
		serveBenchAnswer(kind)
		return
	}
	if at := os.Getenv(benchAttack); at != "" {
		serveBenchAttack(at)
		return
	}
	// Subscribers of the programs that tests start have their callbacks on this machine.
	if err := os.Setenv("FEEDWIRE_HUB_ALLOW_NETWORKS", wiretest.Loopback); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, storetest.IgnoreLines(), goleak.Cleanup(func(code int) {
		wiretest.RemoveBuilds()
		os.Exit(code)
	}))
}
