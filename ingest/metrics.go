package ingest

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/store/feed"
)

// Values of the label result of a poll.
const (
	resultNew       = "new_entries" // entries or the metadata of the feed were created or changed
	resultUnchanged = "unchanged"
	resultError     = "error"
)

// Values of the label outcome of an entry.
const (
	outcomeNew       = "new"
	outcomeUpdated   = "updated"
	outcomeDuplicate = "duplicate" // stored and unchanged, or expired
	outcomeRejected  = "rejected"  // it lacks a required field, or a filter rejects it
)

// Values of the label result of a request to a hub.
const (
	requestAccepted = "accepted"
	requestRefused  = "refused" // by a 4xx
	requestBlocked  = "blocked" // by the guard
	requestFailed   = "failed"
)

// Values of the label result of a verification.
const (
	verificationConfirmed = "confirmed"
	verificationDenied    = "denied"  // by the hub
	verificationRefused   = "refused" // it was not requested
	verificationFailed    = "error"   // not stored; the hub may repeat it
)

// Values of the label result of a delivery.
const (
	deliveryNew      = "new_entries"
	deliveryKnown    = "unchanged"
	deliveryPing     = "ping" // without entries: the source is polled
	deliveryUnsigned = "unsigned"
	deliveryForged   = "bad_signature"
	deliveryTooLarge = "too_large"
	deliveryLimited  = "limited" // more entries than the source may get by push in a minute
	deliveryBroken   = "broken"  // unreadable
	deliveryGone     = "gone"    // without a subscription
	deliveryFailed   = "error"   // not stored; the hub repeats it
)

// counters are the counters of a metric by the value of its label.
type counters map[string]prometheus.Counter

type metrics struct {
	polls, failures, entries counters
	findings                 counters
	duration                 map[string]prometheus.Observer
	size, lag, age           prometheus.Histogram
	inFlight, lastSuccess    prometheus.Gauge

	requests                  *prometheus.CounterVec // to hubs
	verifications, deliveries counters               // by hubs
	missed                    prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) *metrics {
	auto := promauto.With(reg)
	results := []string{resultNew, resultUnchanged, resultError}
	var classes []string
	for _, class := range feed.FailureClasses() {
		classes = append(classes, string(class))
	}
	var found []string
	for _, class := range feed.FindingClasses() {
		found = append(found, string(class))
	}
	duration := auto.NewHistogramVec(histogram("feedwire_poll_duration_seconds", "Time from the start of a poll until its state is stored.",
		.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30), []string{"result"})
	m := &metrics{
		polls:    newCounters(auto, "feedwire_polls_total", "Polls of sources by result.", "result", results...),
		failures: newCounters(auto, "feedwire_poll_failures_total", "Failed polls by reason.", "reason", classes...),
		entries: newCounters(auto, "feedwire_entries_ingested_total", "Entries of accepted documents by what became of them.", "outcome",
			outcomeNew, outcomeUpdated, outcomeDuplicate, outcomeRejected),
		findings: newCounters(auto, "feedwire_findings_total", "Entries of accepted documents that exceed a limit, by the limit.", "class",
			found...),
		duration: make(map[string]prometheus.Observer),
		size: auto.NewHistogram(histogram("feedwire_poll_response_size_bytes", "Size of fetched documents after decompression.",
			prometheus.ExponentialBuckets(1<<10, 4, 9)...)),
		lag: auto.NewHistogram(histogram("feedwire_poll_lag_seconds", "Time from when a poll was due until it started.",
			.1, .5, 1, 5, 15, 60, 300, 900)),
		age: auto.NewHistogram(histogram("feedwire_entry_age_seconds", "Age of new entries when they came in, by their own publication date.",
			60, 300, 900, 3600, 21600, 86400, 604800)),
		inFlight: auto.NewGauge(prometheus.GaugeOpts{Name: "feedwire_polls_in_flight", Help: "Polls going on now."}),
		lastSuccess: auto.NewGauge(prometheus.GaugeOpts{
			Name: "feedwire_last_successful_poll_timestamp_seconds", Help: "When a poll of any source last succeeded.",
		}),
		requests: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "feedwire_push_requests_total", Help: "Requests to the hubs of sources by mode and result.",
		}, []string{"mode", "result"}),
		verifications: newCounters(auto, "feedwire_push_verifications_total", "Hubs that asked whether a subscription is meant, by result.",
			"result", verificationConfirmed, verificationDenied, verificationRefused, verificationFailed),
		deliveries: newCounters(auto, "feedwire_push_deliveries_total", "Deliveries from hubs by result.", "result", deliveryNew,
			deliveryKnown, deliveryPing, deliveryUnsigned, deliveryForged, deliveryTooLarge, deliveryLimited, deliveryBroken,
			deliveryGone, deliveryFailed),
		missed: auto.NewCounter(prometheus.CounterOpts{
			Name: "feedwire_push_missed_entries_total", Help: "Entries that a poll found although their hub should have pushed them.",
		}),
	}
	for _, result := range results {
		m.duration[result] = duration.WithLabelValues(result)
	}
	for _, mode := range []feed.HubMode{feed.HubSubscribe, feed.HubUnsubscribe} {
		for _, result := range []string{requestAccepted, requestRefused, requestBlocked, requestFailed} {
			m.requests.WithLabelValues(string(mode), result)
		}
	}
	return m
}

// newCounters registers a counter with one label. All values are exported from the start.
func newCounters(auto promauto.Factory, name, help, label string, values ...string) counters {
	vec := auto.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
	all := make(counters, len(values))
	for _, v := range values {
		all[v] = vec.WithLabelValues(v)
	}
	return all
}

// histogram returns options with classic and native buckets.
func histogram(name, help string, buckets ...float64) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{
		Name: name, Help: help, Buckets: buckets,
		NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 100, NativeHistogramMinResetDuration: time.Hour,
	}
}

// maxPollID bounds the exemplar of a poll, in bytes. The client library panics at longer ones.
const maxPollID = 64

// polled records a poll. Its id is the exemplar that leads from a slow poll to its log line.
func (m *metrics) polled(result, id string, took time.Duration) {
	m.polls[result].Inc()
	duration := m.duration[result]
	if observer, ok := duration.(prometheus.ExemplarObserver); ok && id != "" && len(id) <= maxPollID {
		observer.ObserveWithExemplar(took.Seconds(), prometheus.Labels{"poll_id": id})
		return
	}
	duration.Observe(took.Seconds())
}

// accepted records the entries of a document. The store returns only the number of new ones. They are nearly always the
// newest, so accepted observes the ages of the last ones.
func (m *metrics) accepted(parsed *parser.Parsed, saved feed.Saved, rejected int, now time.Time) {
	doc := &parsed.Document
	for _, f := range parsed.Findings {
		m.findings[string(f.Class)].Add(float64(f.Count))
	}
	m.entries[outcomeNew].Add(float64(saved.Created))
	m.entries[outcomeUpdated].Add(float64(saved.Modified))
	m.entries[outcomeDuplicate].Add(float64(saved.Unchanged + saved.Dead))
	m.entries[outcomeRejected].Add(float64(rejected))
	for _, e := range doc.Entries[max(0, len(doc.Entries)-saved.Created):] {
		if age := now.Sub(e.Published); !e.Published.IsZero() && age >= 0 {
			m.age.Observe(age.Seconds())
		}
	}
}
