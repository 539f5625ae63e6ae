package hub

import (
	"time"

	"github.com/feedwire/feedwire/signals/pace"
)

// Limits bound what strangers can make the hub do. Rates apply to this daemon, numbers of stored requests and
// subscriptions to all daemons together.
type Limits struct {
	PerClient             pace.Rate // requests of one client, each topic of a publish counts
	PerHost               pace.Rate // verifications of the callbacks of one host
	PerCallback           pace.Rate // verifications of one callback for one topic
	Refusals              pace.Rate // failed verifications of one callback for one topic before it must wait
	Proofs                pace.Rate // secrets that one client sends as a proof, or that are sent for one callback
	Replays               pace.Rate // replays and tests that the owner of one subscription requests
	QueuedPerHost         int       // requests for one host that wait for their verification
	ConcurrentPerHost     int       // concurrent verifications of one host
	ConcurrentPerClient   int       // concurrent verifications of the requests of one client
	ConcurrentPerNetwork  int       // concurrent verifications on new hosts for the clients of a network: IPv4 /24, IPv6 /48
	Concurrent            int       // concurrent verifications in one lane
	Queued                int       // stored requests
	QueuedPerPair         int       // stored requests of one callback and topic
	Subscriptions         int
	SubscriptionsPerTopic int
	SubscriptionsPerHost  int
	OpenPerClient         int       // subscriptions of one client to open topics
	AddedPerClient        pace.Rate // topics that one client adds by publishing them
}

// DefaultLimits returns the limits of a Front without Limits.
func DefaultLimits() Limits {
	return Limits{
		PerClient:             pace.Rate{Every: 100 * time.Millisecond, Burst: 20},
		PerHost:               pace.Rate{Every: 200 * time.Millisecond, Burst: 20},
		PerCallback:           pace.Rate{Every: 10 * time.Second, Burst: 3},
		Refusals:              pace.Rate{Every: 5 * time.Minute, Burst: 3},
		Proofs:                pace.Rate{Every: 10 * time.Second, Burst: 10},
		Replays:               pace.Rate{Every: time.Minute, Burst: 3},
		QueuedPerHost:         1000,
		ConcurrentPerHost:     4,
		ConcurrentPerClient:   16,
		ConcurrentPerNetwork:  32,
		Concurrent:            64,
		Queued:                100_000,
		QueuedPerPair:         3,
		Subscriptions:         1_000_000,
		SubscriptionsPerTopic: 250_000,
		SubscriptionsPerHost:  100_000,
		OpenPerClient:         1000,
		AddedPerClient:        pace.Rate{Every: 10 * time.Minute, Burst: 20},
	}
}
