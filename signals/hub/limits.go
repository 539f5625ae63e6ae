package hub

import (
	"cmp"
	"time"
)

// Limits bound what strangers can make the hub do. Rates apply to this daemon, numbers of stored requests and
// subscriptions to all daemons together. Zero selects the default.
type Limits struct {
	PerClient             Rate // requests of one client, each topic of a publish counts; default 10/s, burst 20
	PerHost               Rate // verifications of the callbacks of one host; default 5/s, burst 20
	PerCallback           Rate // verifications of one callback for one topic; default one in 10 s, burst 3
	Refusals              Rate // failed verifications of one callback for one topic before it must wait; default one in 5 min, burst 3
	QueuedPerHost         int  // requests for one host that wait for their verification; default 1,000
	ConcurrentPerHost     int  // concurrent verifications of one host; default 4
	Concurrent            int  // concurrent verifications; default 64
	Queued                int  // stored requests; default 100,000
	QueuedPerPair         int  // stored requests of one callback and topic; default 3
	Subscriptions         int  // default 1,000,000
	SubscriptionsPerTopic int  // default 250,000
	SubscriptionsPerHost  int  // default 100,000
}

// Rate allows one event in Every on average, and Burst events at once.
type Rate struct {
	Every time.Duration
	Burst int
}

func (r Rate) withDefaults(every time.Duration, burst int) Rate {
	r.Every = cmp.Or(r.Every, every)
	r.Burst = cmp.Or(r.Burst, burst)
	return r
}

func (l Limits) withDefaults() Limits {
	l.PerClient = l.PerClient.withDefaults(100*time.Millisecond, 20)
	l.PerHost = l.PerHost.withDefaults(200*time.Millisecond, 20)
	l.PerCallback = l.PerCallback.withDefaults(10*time.Second, 3)
	l.Refusals = l.Refusals.withDefaults(5*time.Minute, 3)
	l.QueuedPerHost = cmp.Or(l.QueuedPerHost, 1000)
	l.ConcurrentPerHost = cmp.Or(l.ConcurrentPerHost, 4)
	l.Concurrent = cmp.Or(l.Concurrent, 64)
	l.Queued = cmp.Or(l.Queued, 100_000)
	l.QueuedPerPair = cmp.Or(l.QueuedPerPair, 3)
	l.Subscriptions = cmp.Or(l.Subscriptions, 1_000_000)
	l.SubscriptionsPerTopic = cmp.Or(l.SubscriptionsPerTopic, 250_000)
	l.SubscriptionsPerHost = cmp.Or(l.SubscriptionsPerHost, 100_000)
	return l
}
