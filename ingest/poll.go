package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/store/feed"
)

// How long a poll may take to put away what it has in hand.
const (
	settleTime   = 15 * time.Second // in which a store that went away may come back
	settleAtStop = 3 * time.Second  // once the daemon stops
)

// poll does all that a claim asks for: fetch, accept, finish. What is in hand when ctx ends is put away until settled does.
// It writes down what it does where there is a trace.
func (in *Ingester) poll(ctx, settled context.Context, claim *feed.Claim, trace *feed.Trace) {
	in.metrics.inFlight.Inc()
	defer in.metrics.inFlight.Dec()
	defer in.rescue(claim)
	begun := in.opts.Now()
	ctx, lost := context.WithCancel(ctx)
	defer lost()
	defer in.keepLease(settled, claim, lost)()

	o := in.attempt(ctx, settled, claim, trace)
	if ctx.Err() != nil && o.err != nil && !o.accepted {
		in.release(settled, claim) // broken off by us: not a failure of the source
		return
	}
	in.subscriber.heed(settled, claim, &o, begun.Truncate(time.Millisecond))
	polled := in.after(&claim.Source, &o, begun)
	if !errors.Is(o.err, feed.ErrLeaseLost) {
		err := in.persist(settled, func(ctx context.Context) error { return in.store.FinishPoll(ctx, *claim, polled) })
		if err != nil {
			o.err = fmt.Errorf("finish the poll: %w", errors.Join(err, o.err))
		}
	}
	in.subscriber.again(settled, claim, begun.Truncate(time.Millisecond))
	if trace != nil {
		after := claim.Source
		after.Poll, after.Polls = polled.State, nil
		trace.After = &after
	}
	in.report(claim, &o, polled.State, begun)
}

// attempt fetches the source and accepts what came.
func (in *Ingester) attempt(ctx, settled context.Context, claim *feed.Claim, trace *feed.Trace) (o outcome) {
	now, known := in.opts.Now(), &claim.Source.Poll
	o.request = fetch.Request{URL: claim.Source.Address(), Full: wantsFull(known, now), Trace: trace}
	if recheck(known, now) {
		o.request.URL = claim.Source.URL
	}
	o.response, o.err = in.fetchInSlot(ctx, &claim.Source, o.request)
	o.tell(known)
	if o.err != nil || o.response.NotModified {
		return o
	}
	sum := sha256.Sum256(o.response.Body)
	o.bodySum = hex.EncodeToString(sum[:])
	if o.bodySum == known.BodySum && known.Generation == generation && !known.FullRequested {
		o.accepted = true // costs neither parse nor write, but new validators are kept
		if trace != nil {
			trace.Document = "the same bytes as last time, so they were not read again"
		}
		return o
	}
	var parsed parser.Parsed
	doc := in.rawOf(&o.response)
	doc.Identity = known.Identity
	parsed, o.saved, o.err = in.accept(settled, *claim, doc, trace)
	if o.err == nil {
		o.accepted, o.fresh = true, true
		o.seed, o.hints = seeded(parsed.Document.Entries, now), parsed.Hints.Polling()
		o.repairs, o.repaired, o.identity = parsed.Repairs, parsed.Document.Repaired, parsed.Identity
		o.format = parsed.Document.Format
	}
	return o
}

// Accept is the way of every document into the store, polled or pushed: bounds, parse, translate, save. It may be
// called again with the same document, which then changes nothing. While the store is unavailable it tries again until
// ctx ends, so give it a deadline.
//
// Errors: an *feed.Failure says what is wrong with the document; else the store's, feed.ErrLeaseLost among them.
func (in *Ingester) Accept(ctx context.Context, claim feed.Claim, raw parser.Raw) (feed.Saved, error) {
	_, saved, err := in.accept(ctx, claim, raw, nil)
	return saved, err
}

// accept also gives what was read, and compares it with what is stored where there is a trace.
func (in *Ingester) accept(ctx context.Context, claim feed.Claim, raw parser.Raw, trace *feed.Trace) (parser.Parsed, feed.Saved, error) {
	parsed, err := parser.Parse(raw, claim.Source.URL, in.reloaded.Load().MaxEntries)
	if err != nil {
		if p, is := errors.AsType[*parser.Panic](err); is {
			in.opts.OnPanic("poll")
			in.opts.Logger.Error("panic in a document", "source", claim.Source.URL, "poll", claim.Token, "err", p, "stack", string(p.Stack))
		}
		tellUnread(raw, err, trace)
		return parser.Parsed{}, feed.Saved{}, err
	}
	filtered, err := filterEntries(&parsed.Document, claim.Source.Filters)
	if err != nil {
		return parser.Parsed{}, feed.Saved{}, fmt.Errorf("filters of %s: %w", claim.Source.URL, err)
	}
	doc := parsed.Document
	in.compared(ctx, claim, &parsed, trace)
	var saved feed.Saved
	err = in.persist(ctx, func(ctx context.Context) error {
		if in.opts.OnDocument != nil {
			if err := in.opts.OnDocument(ctx, claim.Source.URL, raw.ContentType, raw.Body); err != nil {
				return err
			}
		}
		saved, err = in.store.SaveEntries(ctx, claim, doc)
		return err
	})
	if err != nil {
		return parser.Parsed{}, feed.Saved{}, fmt.Errorf("save %d entries of %s: %w", len(doc.Entries), claim.Source.URL, err)
	}
	saved.Filtered = filtered
	in.metrics.accepted(doc, saved, parsed.Rejected+filtered, raw.Received)
	return parsed, saved, nil
}

// settle returns a context for what must still be put away when ctx has ended: it ends settleAtStop later.
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
	err := call(ctx)
	if err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	for delay := firstRetry; errors.Is(err, feed.ErrUnavailable); delay = min(2*delay, lastRetry) {
		pause(ctx, delay)
		if ctx.Err() != nil {
			break
		}
		err = call(ctx)
	}
	return err
}

// release gives a claim back that was not used.
func (in *Ingester) release(ctx context.Context, claim *feed.Claim) {
	if err := in.store.ReleaseSource(ctx, *claim); err != nil && !errors.Is(err, feed.ErrLeaseLost) {
		in.opts.Logger.Warn("source not given back, it waits for the end of its lease", "source", claim.Source.URL, "poll", claim.Token,
			"err", err)
	}
}

// rescue ends a panic in a poll: the source is polled again when its lease is over, everybody else at once.
func (in *Ingester) rescue(claim *feed.Claim) {
	if p := recover(); p != nil {
		in.opts.OnPanic("poll")
		in.opts.Logger.Error("panic in a poll", "source", claim.Source.URL, "poll", claim.Token, "err", p, "stack", string(debug.Stack()))
	}
}

// report counts the poll and writes its line in the log.
func (in *Ingester) report(claim *feed.Claim, o *outcome, state feed.PollState, begun time.Time) {
	now := in.opts.Now()
	result := resultUnchanged
	switch {
	case o.err != nil:
		result = resultError
		in.metrics.failures.WithLabelValues(string(feed.ClassOf(o.err))).Inc()
	case o.saved.Changed():
		result = resultNew
	}
	if o.err == nil {
		in.metrics.lastSuccess.Set(float64(now.Unix()))
	}
	if !claim.Due.IsZero() {
		in.metrics.lag.Observe(max(0, begun.Sub(claim.Due).Seconds()))
	}
	if o.bodySum != "" {
		in.metrics.size.Observe(float64(len(o.response.Body)))
	}
	in.metrics.polled(result, claim.Token, now.Sub(begun))

	attrs := []slog.Attr{
		slog.String("source", claim.Source.URL), slog.String("poll", claim.Token), slog.String("result", result),
		slog.Int("status", o.response.Status), slog.Int("bytes", len(o.response.Body)),
		slog.Int("new", o.saved.Created), slog.Int("modified", o.saved.Modified), slog.Int("unchanged", o.saved.Unchanged),
		slog.Int("filtered", o.saved.Filtered), slog.Int("held", o.saved.Unsignalled.Created+o.saved.Unsignalled.Modified),
		slog.Int64("ms", now.Sub(begun).Milliseconds()),
		slog.Time("next", state.NextPoll), slog.String("reason", state.NextReason),
	}
	if len(o.repairs) > 0 {
		attrs = append(attrs, slog.Any("mended", o.repairs))
	}
	if o.err != nil {
		attrs = append(attrs, slog.String("class", string(feed.ClassOf(o.err))), slog.String("err", feed.ShortLine(o.err.Error())))
	}
	in.opts.Logger.LogAttrs(context.Background(), slog.LevelInfo, "poll", attrs...)
}
