package topics

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/signals/pace"
	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	openRest    = time.Second // between a check and one that a publisher requests
	openWorkers = 8           // concurrent checks
	openBurst   = 5           // checks of one host at once
	openLease   = 2 * time.Minute
	minPoll     = 20 * time.Millisecond
	callTimeout = 5 * time.Second  // for a call of the store
	openPoll    = 10 * time.Second // longest time between two claims, so that the checks of a killed daemon are found
	maxBackoff  = 24 * time.Hour   // longest time until a failing topic is checked again
)

// The values of the result label of a check.
const (
	openChanged   = "changed"
	openUnchanged = "unchanged"
	openFailed    = "failed"
	openFull      = "full" // the documents of all open topics would have too many bytes
)

type openMetrics struct {
	checks        *prometheus.CounterVec
	topics, bytes prometheus.Gauge
}

func newOpenMetrics(reg prometheus.Registerer) *openMetrics {
	auto := promauto.With(reg)
	m := &openMetrics{
		checks: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "feedwire_hub_open_checks_total", Help: "Checks of open topics, by result.",
		}, []string{"result"}),
		topics: auto.NewGauge(prometheus.GaugeOpts{Name: "feedwire_hub_open_topics", Help: "Open topics."}),
		bytes:  auto.NewGauge(prometheus.GaugeOpts{Name: "feedwire_hub_open_bytes", Help: "Size of the stored documents of open topics."}),
	}
	for _, result := range []string{openChanged, openUnchanged, openFailed, openFull} {
		m.checks.WithLabelValues(result)
	}
	return m
}

// Run checks open topics until ctx ends, and then waits for checks in progress. It retries if the store fails, and always returns nil.
func (c *Catalog) Run(ctx context.Context) error {
	var work sync.WaitGroup
	defer work.Wait()
	slots := make(chan struct{}, openWorkers)
	patience := retry.Options{Failing: func(err error) {
		c.opts.Logger.Warn("open topics are not checked: the store does not respond", "err", err)
	}}
	for ctx.Err() == nil {
		pause, _ := retry.Do(ctx, patience, func() (time.Duration, error) { // fails only if ctx ends
			due, next, err := c.claimOpen(ctx, openWorkers-len(slots))
			for _, t := range due {
				slots <- struct{}{} // has room: only this loop fills it
				work.Go(func() {
					c.checkOpen(ctx, t)
					<-slots
					retry.Wake(c.wakeup)
				})
			}
			if next.IsZero() || len(slots) == openWorkers { // the end of a check wakes this loop
				return openPoll, err
			}
			return min(max(next.Sub(c.opts.Now()), minPoll), openPoll), err
		})
		retry.Await(ctx, c.wakeup, pause)
	}
	return nil
}

// claimOpen claims topics to check and updates the gauges.
func (c *Catalog) claimOpen(ctx context.Context, limit int) (due []feed.OpenTopic, next time.Time, err error) {
	call, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if topics, bytes, err := c.store.OpenTopicCounts(call); err == nil {
		c.metrics.topics.Set(float64(topics))
		c.metrics.bytes.Set(float64(bytes))
	}
	if limit == 0 {
		return nil, time.Time{}, nil
	}
	return c.store.ClaimOpenTopics(call, limit, openLease)
}

// checkOpen checks a claimed topic, or makes it due later if its host must rest.
func (c *Catalog) checkOpen(ctx context.Context, t feed.OpenTopic) {
	defer func() {
		if p := recover(); p != nil { // it is checked again when its claim ends
			c.opts.OnPanic("signal")
			c.opts.Logger.Error("panic in the check of an open topic", "feed", t.URL, "err", p, "stack", string(debug.Stack()))
		}
	}()
	now, opts := c.opts.Now(), c.open()
	log := c.opts.Logger.With("feed", t.URL)
	var err error
	switch wait := c.openHosts(opts.HostDelay).Take(feed.HostID(t.URL), now); {
	case !opts.allows(t.URL):
		err = c.store.ForgetOpenTopic(ctx, t.URL)
	case t.Canonical != "": // it has no subscribers
		err = c.store.FinishOpenTopic(ctx, t, now.Add(maxBackoff))
	case wait > 0:
		err = c.store.FinishOpenTopic(ctx, t, now.Add(wait))
	default:
		var result string
		if result, err = c.checkDocument(ctx, &t, &opts); err == nil {
			c.metrics.checks.WithLabelValues(result).Inc()
			log.Debug("open topic checked", "result", result)
			err = c.store.FinishOpenTopic(ctx, t, t.Checked.Add(nextOpenCheck(opts.Interval, t.Failures)))
		}
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, feed.ErrLeaseLost) {
		log.Warn("open topic is checked later", "err", err) // when its claim ends
	}
}

// openHosts returns the pacer of hosts, a new one after the delay was changed.
func (c *Catalog) openHosts(delay time.Duration) *pace.Pacer {
	c.hostsMu.Lock()
	defer c.hostsMu.Unlock()
	if c.hosts == nil || c.hostDelay != delay {
		c.hostDelay = delay
		c.hosts = pace.New(pace.Rate{Every: delay, Burst: openBurst})
	}
	return c.hosts
}

// nextOpenCheck returns the time until the next check of a topic, which doubles with each consecutive failure.
func nextOpenCheck(interval time.Duration, failures int) time.Duration {
	return min(interval<<min(failures, 10), max(maxBackoff, interval))
}

// checkDocument fetches the document of a topic, distributes it if its type or bytes have changed, and updates the topic.
func (c *Catalog) checkDocument(ctx context.Context, t *feed.OpenTopic, opts *OpenOptions) (string, error) {
	doc, err := c.opts.Fetch(ctx, t)
	t.Checked = c.opts.Now()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		t.Failures++
		c.opts.Logger.Info("open topic cannot be fetched", "feed", t.URL, "failures", t.Failures, "err", err)
		return openFailed, nil
	case doc.NotModified:
		t.Failures = 0
		return openUnchanged, nil
	}
	t.Failures = 0
	sum := sumOf(&doc)
	if sum == t.Sum {
		t.ETag, t.LastModified, t.Validated = doc.ETag, doc.LastModified, doc.Validated
		return openUnchanged, nil
	}
	// A daemon that dies before the end leaves no sum and no validators: the next check distributes the document unless this one did.
	t.Sum, t.ETag, t.LastModified, t.Validated = "", "", "", ""
	err = c.store.ReserveOpenTopic(ctx, *t, len(doc.Body), opts.limits(0))
	if errors.Is(err, feed.ErrConflict) {
		c.opts.Logger.Warn("open topic not distributed: the documents of all open topics have too many bytes", "feed", t.URL)
		return openFull, nil
	}
	if err == nil {
		_, err = c.store.DistributeServed(ctx, feed.Distribution{Topic: t.URL, ContentType: doc.ContentType, Body: doc.Body, Whole: true})
	}
	t.Sum, t.ETag, t.LastModified, t.Validated = sum, doc.ETag, doc.LastModified, doc.Validated
	return openChanged, err
}
