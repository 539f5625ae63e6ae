//go:build faults

package store_test

import (
	"fmt"
	"time"

	"pgregory.net/rapid"
)

// program is what clients do at the same time, and what befalls them meanwhile.
type program struct {
	Clients [][]step // each in its order
	Faults  []fault  // one after the other
}

// step is one thing that a client does.
type step struct {
	Do      deed
	Article int  // which one; of a fetch, the first of those that it showed
	Showed  int  // articles of a fetch
	Stale   bool // it showed them as they were before they were last published
	Guid    int  // of a save: the entry that is new or changed
}

type deed string

const (
	fetches   deed = "fetch" // a consumer has got the feed whole
	publishes deed = "publish"
	withdraws deed = "withdraw"
	saves     deed = "save" // a document with one entry that is new or changed
)

// fault befalls the line or the server.
type fault struct {
	After time.Duration // of the one before
	What  string        // one of strikes, or a kind of storetest.Line.Disturb
	Size  int           // bytes or milliseconds, by What
}

func (f fault) String() string { return fmt.Sprintf("%v later %s %d", f.After, f.What, f.Size) }

// Sizes of programs.
const (
	articles = 2
	clients  = 4
	guids    = 3 // of the source of each client
)

// programs makes them up. Most steps are fetches, since it takes four to import an article; most faults lose answers.
func programs() *rapid.Generator[program] {
	deeds := rapid.SampledFrom([]deed{
		fetches, fetches, fetches, fetches, fetches, fetches, fetches, fetches, publishes, publishes, withdraws, saves, saves, saves,
	})
	steps := rapid.Custom(func(t *rapid.T) step {
		return step{
			Do: deeds.Draw(t, "do"), Article: rapid.IntRange(0, articles-1).Draw(t, "article"),
			Showed: rapid.IntRange(1, articles).Draw(t, "showed"), Stale: rapid.IntRange(0, 4).Draw(t, "stale") == 0,
			Guid: rapid.IntRange(0, guids-1).Draw(t, "guid"),
		}
	})
	kinds := rapid.SampledFrom([]string{
		"limit_data", "limit_data", "limit_data", "limit_data", "reset_peer", "timeout", "latency", "slicer", "heal", "heal",
		"script flush", "hang", "kill",
	})
	faults := rapid.Custom(func(t *rapid.T) fault {
		return fault{
			time.Duration(rapid.IntRange(500, 4000).Draw(t, "after")) * time.Microsecond, kinds.Draw(t, "what"),
			rapid.IntRange(1, 60).Draw(t, "size"),
		}
	})
	return rapid.Custom(func(t *rapid.T) program {
		return program{
			rapid.SliceOfN(rapid.SliceOfN(steps, 6, 14), clients, clients).Draw(t, "clients"),
			rapid.SliceOfN(faults, 2, 8).Draw(t, "faults"),
		}
	})
}
