package hub

import "time"

// Limits bound what strangers can make the hub do. Rates apply to this daemon, numbers of stored requests and
// subscriptions to all daemons together.
type Limits struct {
	PerClient             Rate // requests of one client, each topic of a publish counts
	PerHost               Rate // verifications of the callbacks of one host
	PerCallback           Rate // verifications of one callback for one topic
	Refusals              Rate // failed verifications of one callback for one topic before it must wait
	Proofs                Rate // secrets that one client sends as a proof, or that are sent for one callback
	Replays               Rate // replays and tests that the owner of one subscription requests
	QueuedPerHost         int  // requests for one host that wait for their verification
	ConcurrentPerHost     int  // concurrent verifications of one host
	ConcurrentPerClient   int  // concurrent verifications of the requests of one client
	ConcurrentPerNetwork  int  // concurrent verifications on new hosts for the clients of a network: IPv4 /24, IPv6 /48
	Concurrent            int  // concurrent verifications in one lane
	Queued                int  // stored requests
	QueuedPerPair         int  // stored requests of one callback and topic
	Subscriptions         int
	SubscriptionsPerTopic int
	SubscriptionsPerHost  int
	OpenPerClient         int  // subscriptions of one client to open topics
	AddedPerClient        Rate // topics that one client adds by publishing them
}

// Rate allows one event in Every on average, and Burst events at once.
type Rate struct {
	Every time.Duration
	Burst int
}

// DefaultLimits returns the limits of a Front without Limits.
func DefaultLimits() Limits {
	return Limits{
		PerClient:             Rate{100 * time.Millisecond, 20},
		PerHost:               Rate{200 * time.Millisecond, 20},
		PerCallback:           Rate{10 * time.Second, 3},
		Refusals:              Rate{5 * time.Minute, 3},
		Proofs:                Rate{10 * time.Second, 10},
		Replays:               Rate{time.Minute, 3},
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
		AddedPerClient:        Rate{10 * time.Minute, 20},
	}
}
