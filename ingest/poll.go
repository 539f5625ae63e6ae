package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

// How long a poll may take to store its results.
const (
	settleTime   = 15 * time.Second // while the store is unavailable
	settleAtStop = 3 * time.Second  // after the daemon was told to stop
)

// outcome is the result of one poll.
type outcome struct {
	request  fetch.Request
	response fetch.Response
	bodySum  string        // SHA-256 of the document, hex; empty: no document
	fresh    bool          // its entries were stored by this poll
	saved    feed.Saved    // zero unless fresh
	parsed   parser.Parsed // zero unless fresh
	err      error
}

// poll polls a claimed source: it fetches and accepts the document, and finishes the poll. When ctx ends, results that are
// already there are still stored until finishing ends. A trace that is not nil records the steps.
func (in *Ingester) poll(ctx, finishing context.Context, claim *feed.Claim, trace *feed.Trace) {
	in.metrics.inFlight.Inc()
	defer in.metrics.inFlight.Dec()
	defer in.recoverPoll(claim)
	start := in.opts.Now()
	ctx, lost := context.WithCancel(ctx)
	defer lost()
	defer in.renewLease(finishing, claim, lost)()

	o := in.attempt(ctx, finishing, claim, trace)
	if ctx.Err() != nil && o.err != nil {
		in.releaseClaim(finishing, claim) // feedwire cancelled it: not a failure of the source
		return
	}
	in.subscriber.observePoll(finishing, claim, &o, start.Truncate(time.Millisecond))
	polled := in.result(&claim.Source, &o, start)
	if !errors.Is(o.err, feed.ErrLeaseLost) {
		err := in.persist(finishing, func(ctx context.Context) error { return in.store.FinishPoll(ctx, claim, &polled) })
		if err != nil {
			o.err = fmt.Errorf("finish the poll: %w", errors.Join(err, o.err))
		}
	}
	if polled.Cleared != "" && o.err == nil {
		in.opts.Logger.Warn("password and secret header fields removed", "source", claim.Source.URL, "poll", claim.Token, "reason", polled.Cleared)
		claim.Source.Request = claim.Source.Request.WithoutSecrets()
		claim.Source.Request.Cleared = polled.Cleared
	}
	in.subscriber.repoll(finishing, claim, start.Truncate(time.Millisecond))
	if trace != nil {
		after := claim.Source
		after.Poll, after.Polls = polled.State, nil
		trace.After = &after
	}
	in.report(claim, &o, polled.State, start)
}

// attempt fetches and accepts the document of a source.
func (in *Ingester) attempt(ctx, finishing context.Context, claim *feed.Claim, trace *feed.Trace) (o outcome) {
	now, state := in.opts.Now(), &claim.Source.Poll
	o.request = fetch.Request{URL: claim.Source.Address(), Full: needsFull(state, now), Trace: trace}
	if needsRecheck(state, now) {
		o.request.URL = claim.Source.URL
	}
	o.response, o.err = awaitServer(ctx, func(ctx context.Context, received func(int)) (fetch.Response, error) {
		o.request.Received = received
		return in.client.Get(ctx, &claim.Source, o.request)
	})
	o.traceResponse(state)
	if o.err != nil || o.response.NotModified {
		return o
	}
	o.bodySum = sumOf(o.response.Body)
	if o.bodySum == state.BodySum && state.Generation == generation && !state.FullRequested {
		if trace != nil {
			trace.Document = "unchanged, so it was not parsed again"
		}
		return o // no need to parse or write, but new validators are stored
	}
	raw := parser.NewRaw(o.response.Body, o.response.Header, o.response.URL, in.opts.Now())
	raw.Identity = state.Identity
	o.parsed, o.saved, o.err = in.Accept(finishing, *claim, raw, trace)
	o.fresh = o.err == nil
	return o
}

// sumOf returns the SHA-256 of a document, hex.
func sumOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// Accept parses a document and saves its entries. Polled and pushed documents take this way. Repeating a call with the same
// document changes nothing. While the store is unavailable, Accept retries until ctx ends, so ctx needs a deadline. A trace that
// is not nil records the steps.
//
// Errors: a *feed.PollError describes the document; other errors are those of the store, such as feed.ErrLeaseLost.
func (in *Ingester) Accept(ctx context.Context, claim feed.Claim, raw parser.Raw, trace *feed.Trace) (parser.Parsed, feed.Saved, error) {
	parsed, err := parser.Parse(raw, claim.Source.URL, in.reloaded.Load().MaxEntries)
	if err != nil {
		if p, ok := errors.AsType[*parser.PanicError](err); ok {
			in.opts.OnPanic("poll")
			in.opts.Logger.Error("panic in a document", "source", claim.Source.URL, "poll", claim.Token, "err", p, "stack", string(p.Stack))
		}
		tracePage(raw, err, trace)
		return parser.Parsed{}, feed.Saved{}, err
	}
	doc := &parsed.Document
	doc.Reread = claim.Source.Poll.Generation != generation && !raw.Pushed
	doc.SameBytes = doc.Reread && sumOf(raw.Body) == claim.Source.Poll.BodySum
	filtered, err := filterEntries(doc, claim.Source.Filters)
	if err != nil {
		return parser.Parsed{}, feed.Saved{}, fmt.Errorf("filters of %s: %w", claim.Source.URL, err)
	}
	in.traceDocument(ctx, claim, &parsed, trace)
	var saved feed.Saved
	err = in.persist(ctx, func(ctx context.Context) error {
		if in.opts.OnDocument != nil {
			if err := in.opts.OnDocument(ctx, claim.Source.URL, raw.ContentType, raw.Body); err != nil {
				return err
			}
		}
		saved, err = in.store.SaveEntries(ctx, claim, *doc)
		return err
	})
	if err != nil {
		return parser.Parsed{}, feed.Saved{}, fmt.Errorf("save %d entries of %s: %w", len(doc.Entries), claim.Source.URL, err)
	}
	if doc.Reread && in.opts.OnReread != nil && !claim.Source.Poll.LastDocument.IsZero() {
		if err := in.persist(ctx, func(ctx context.Context) error { return in.opts.OnReread(ctx, claim.Source.URL) }); err != nil {
			return parser.Parsed{}, feed.Saved{}, fmt.Errorf("refresh the articles of %s: %w", claim.Source.URL, err)
		}
	}
	saved.Filtered = filtered
	in.metrics.accepted(&parsed, saved, parsed.Rejected+filtered, raw.Received)
	return parsed, saved, nil
}

// filterEntries removes the entries from a document that the source's filters reject, and returns their number. It has no
// effect on stored entries.
func filterEntries(doc *feed.Document, filters feed.Filters) (filtered int, err error) {
	compiled, err := filters.Compile()
	if err != nil || filters.IsZero() {
		return 0, err
	}
	all := len(doc.Entries)
	doc.Entries = slices.DeleteFunc(doc.Entries, func(e feed.Entry) bool {
		keep, _ := compiled.Match(&e)
		return !keep
	})
	return all - len(doc.Entries), nil
}

// settle returns a context that ends settleAtStop after ctx.
func settle(ctx context.Context) (context.Context, context.CancelFunc) {
	settled, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(settleAtStop, cancel)
	})
	return settled, func() {
		stop()
		cancel()
	}
}

// persist repeats a store call while the store is unavailable, until ctx ends or settleTime is over.
func (in *Ingester) persist(ctx context.Context, call func(context.Context) error) error {
	var last error // Do returns another if ctx ends
	_, _ = retry.Do(ctx, retry.Options{Limit: settleTime, Final: retry.NotUnavailable}, func() (struct{}, error) {
		last = call(ctx)
		return struct{}{}, last
	})
	return last
}

// releaseClaim returns an unused claim.
func (in *Ingester) releaseClaim(ctx context.Context, claim *feed.Claim) {
	if err := in.store.ReleaseSource(ctx, claim); err != nil && !errors.Is(err, feed.ErrLeaseLost) {
		in.opts.Logger.Warn("claim not released: the source waits for the end of its lease", "source", claim.Source.URL, "poll", claim.Token,
			"err", err)
	}
}

// recoverPoll recovers a panic of a poll. The source is polled again after its lease; other sources are not affected.
func (in *Ingester) recoverPoll(claim *feed.Claim) {
	if p := recover(); p != nil {
		in.opts.OnPanic("poll")
		in.opts.Logger.Error("panic in a poll", "source", claim.Source.URL, "poll", claim.Token, "err", p, "stack", string(debug.Stack()))
	}
}

// report counts and logs a poll. A poll without news is logged at debug, unless the poll before failed.
func (in *Ingester) report(claim *feed.Claim, o *outcome, state feed.PollState, start time.Time) {
	now, m := in.opts.Now(), in.metrics
	result := resultUnchanged
	switch {
	case o.err != nil:
		result = resultError
		m.failures[string(feed.ClassOf(o.err))].Inc()
	case o.saved.Changed():
		result = resultNew
	}
	if o.err == nil {
		m.lastSuccess.Set(float64(now.Unix()))
	}
	if !claim.Due.IsZero() {
		m.lag.Observe(max(0, start.Sub(claim.Due).Seconds()))
	}
	if o.bodySum != "" {
		m.size.Observe(float64(len(o.response.Body)))
	}
	m.polled(result, claim.Token, now.Sub(start))
	level := slog.LevelInfo
	if result == resultUnchanged && claim.Source.Poll.Errors == 0 {
		level = slog.LevelDebug
	}
	if !in.opts.Logger.Enabled(context.Background(), level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("source", claim.Source.URL), slog.String("poll", claim.Token), slog.String("result", result),
		slog.Int("status", o.response.Status), slog.Int("bytes", len(o.response.Body)),
		slog.Int("new", o.saved.Created), slog.Int("modified", o.saved.Modified), slog.Int("unchanged", o.saved.Unchanged),
		slog.Int("filtered", o.saved.Filtered), slog.Int("unsignalled", o.saved.Unsignalled.Created+o.saved.Unsignalled.Modified),
		slog.Int64("ms", now.Sub(start).Milliseconds()),
		slog.Time("next", state.NextPoll), slog.String("reason", state.NextReason),
	}
	for _, f := range o.parsed.Findings {
		attrs = append(attrs, slog.String("finding", f.Text))
	}
	if len(o.parsed.Repairs) > 0 {
		attrs = append(attrs, slog.Any("repairs", o.parsed.Repairs))
	}
	if o.err != nil {
		attrs = append(attrs, slog.String("class", string(feed.ClassOf(o.err))), slog.String("err", feed.ShortLine(o.err.Error())))
	}
	in.opts.Logger.LogAttrs(context.Background(), level, "poll", attrs...)
}
