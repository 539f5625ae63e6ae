package ingest

import (
	"cmp"
	"errors"
	"math/bits"
	"net/http"
	"strconv"
	"time"

	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/store/feed"
)

// The time of the next poll of a source:
//
//	after a success    its fixed interval, or the adaptive one, which ttl, sy:updatePeriod, skipHours and skipDays of the
//	                   document lengthen; not before the end of Cache-Control or Expires (at most 24 h)
//	after failure e    step·2^(e-1), where step is the interval, between 1 and 15 minutes; at most 24 h, at least that after
//	                   7 days of failures, and a week after 30
//	after Retry-After  its interval, at most 15 minutes; not before the requested time (at most 7 d)
//	after a 410        after a day; if the server repeats the 410 then, never
//	outage             its interval: many hosts fail at once, so the source is not to blame
//	store failure      soon; the failure is not the source's and not counted
//	damaged key        as soon as the key is repaired
//	too much news      when the limit of a day allows the document
//
// Waiting times that feedwire chooses are lengthened by up to a tenth, so that sources added together drift apart.
const (
	shortestStep = time.Minute
	longestStep  = 15 * time.Minute // the server may be restarting
	refusedDelay = time.Hour        // after 401, 403, 404 and 429, which are deliberate
	maxDelay     = 24 * time.Hour
	dailyAfter   = 7 * 24 * time.Hour
	weeklyAfter  = 30 * 24 * time.Hour
	weeklyDelay  = 7 * 24 * time.Hour
	goneDelay    = 24 * time.Hour
	maxHint      = 24 * time.Hour
	maxPause     = 24 * time.Hour // of a host: one source must not silence its neighbours for longer
	storeDelay   = time.Minute
	damagedDelay = 2 * time.Second // the store claims the source for a poll only when its keys are repaired
	spread       = 0.1
)

// generation counts the changes of the parser that make other entries of the same document. Increase it with each such
// change: every source is then fetched in full once, and known entries silently get the fields that are new.
const generation = 5

// Unconditional requests although there are validators.
const (
	fullEvery = 24 * time.Hour      // at most
	silence   = 14 * 24 * time.Hour // of only 304: some servers answer 304 for ever
)

// needsFull reports whether the document is needed even if it is unchanged.
func needsFull(p *feed.PollState, now time.Time) bool {
	if p.FullRequested || now.Sub(p.LastFull) < fullEvery {
		return p.FullRequested
	}
	silent := now.Sub(p.LastDocument) >= silence && now.Sub(p.LastFull) >= silence
	return p.Generation != generation || silent
}

// result returns what a poll that began at start leaves in the store.
func (in *Ingester) result(source *feed.Source, o *outcome, start time.Time) feed.PollResult {
	now, state := in.opts.Now(), source.Poll
	state.LastPoll, state.Status = now, o.response.Status
	if o.response.Status != 0 && !o.response.Conditional {
		state.LastFull = now
	}
	if needsRecheck(&source.Poll, start) {
		state.Move.Checked = now
	}
	polled := feed.PollResult{Poll: feed.Poll{
		Time: now, DurationMS: now.Sub(start).Milliseconds(), Status: o.response.Status, New: o.saved.Created, Modified: o.saved.Modified,
	}}
	class := feed.FailureClass("")
	if o.err != nil {
		class = feed.ClassOf(o.err)
		polled.Poll.Class = string(class)
		state.ErrorClass, state.ErrorText = string(class), feed.ShortLine(o.err.Error())
	}
	interval, reason := in.interval(source, &state)
	unreachable := class == feed.FailureDNS || class == feed.FailureConnect
	outage := in.contacts.isOutage(feed.Host(o.request.URL), now, unreachable)
	switch {
	case o.err == nil:
		in.succeeded(&state, source, o, now)
	case class == feed.FailureDamaged:
		state.Errors++
		state.FailingSince = cmp.Or(state.FailingSince, now)
		state.NextPoll, state.NextReason = now.Add(damagedDelay), "as soon as the damaged key is repaired"
	case class == feed.FailureDayLimit:
		state.Errors++
		state.FailingSince = cmp.Or(state.FailingSince, now)
		over, _ := errors.AsType[*feed.DayLimitError](o.err)
		in.plan(&state, now, max(interval, over.Wait), "when fetch.day_entries allows more entries")
	case class == feed.FailureStore:
		in.plan(&state, now, min(storeDelay, interval), "retry after a failure of the store")
	case outage:
		state.ErrorClass = string(feed.FailureOutage)
		state.ErrorText += "; most other hosts cannot be reached either"
		in.plan(&state, now, interval, reason+", after an outage of this network")
	case o.request.URL == source.URL && !source.Poll.Move.Adopted.IsZero() && source.Poll.Errors == 0:
		in.plan(&state, now, interval, reason+"; the old address fails, the new one stays")
	default:
		in.failed(&state, o, interval, now)
		polled.PauseHost = pauseHost(source, &o.response, now)
	}
	polled.State, polled.Cleared = state, clearedSecrets(source, &state)
	return polled
}

// plan schedules the next poll after a delay, which it spreads.
func (in *Ingester) plan(state *feed.PollState, now time.Time, delay time.Duration, reason string) {
	delay += time.Duration(spread * in.jitter() * float64(delay))
	state.NextPoll, state.NextReason = now.Add(delay), reason
}

// succeeded updates the state after a success.
func (in *Ingester) succeeded(state *feed.PollState, source *feed.Source, o *outcome, now time.Time) {
	state.LastOK = now
	state.Errors, state.ErrorClass, state.ErrorText, state.FailingSince = 0, "", "", time.Time{}
	state.Gone, state.GoneSince = false, time.Time{}
	if !o.response.NotModified {
		state.LastDocument = now
		state.Generation, state.FullRequested = generation, false
	}
	if o.fresh {
		state.BodySum = o.bodySum
		state.Entries = o.saved.Created + o.saved.Modified + o.saved.Unchanged + o.saved.Dead
		state.Listed = listed(source.Poll.Listed, state.Entries, o.parsed.Document.Repaired)
		state.Hints = o.parsed.Hints.Polling()
		state.Identity = o.parsed.Identity
		state.Findings = o.parsed.Findings
		state.Format = o.parsed.Document.Format
	}
	switch {
	case source.Poll.LastDocument.IsZero():
		state.Rate = initialRate(o.parsed.Document.Entries, now)
	case source.Push.State != feed.PushActive: // otherwise new entries were pushed
		state.Rate = updateRate(state.Rate, now.Sub(source.Poll.LastOK), posts(o.saved))
	}
	o.response.UpdateValidators(state)
	in.updateMove(state, source, o, now)
	in.schedule(state, source, o, now)
}

// posts returns how many posts a poll brought. Entries that a source lists again at once are one post.
func posts(saved feed.Saved) int {
	return saved.Created - saved.Unsignalled.Created + min(1, saved.Unsignalled.Created)
}

// listed returns how many entries the source may still list: all of its document, but not fewer than before if the document
// was repaired, and not fewer than half of before otherwise. Documents are truncated now and then, and the next one would
// contain entries that expired meanwhile.
func listed(before, now int, repaired bool) int {
	if !repaired {
		before /= 2
	}
	return max(before, now)
}

// schedule plans the next poll after a success.
func (in *Ingester) schedule(state *feed.PollState, source *feed.Source, o *outcome, now time.Time) {
	interval, reason := in.interval(source, state)
	if hint := min(time.Duration(state.Hints.Interval), maxHint); hint > interval && !in.isFixed(source) {
		interval, reason = hint, "interval that the feed asks for"
	}
	if source.Push.State == feed.PushActive {
		interval, reason = intervalWithPush(interval), "slowly: its hub pushes"
	}
	in.plan(state, now, interval, reason)
	if until, field := fetch.FreshUntil(o.response.Header, now); until.After(state.NextPoll) {
		state.NextPoll, state.NextReason = until, field
	}
	if in.isFixed(source) {
		return
	}
	if allowed := in.afterSkipped(state.NextPoll, state.Hints); !allowed.Equal(state.NextPoll) {
		state.NextPoll, state.NextReason = allowed, "hours and days that the feed skips"
	}
}

// afterSkipped returns t, or a random time in the first hour after t that the feed does not skip. It ignores hints that skip
// all hours or all days.
func (in *Ingester) afterSkipped(t time.Time, hints feed.Hints) time.Time {
	if bits.OnesCount32(hints.SkipHours&(1<<24-1)) == 24 || hints.SkipDays&(1<<7-1) == 1<<7-1 {
		return t
	}
	skipped := func(t time.Time) bool {
		t = t.UTC()
		return hints.SkipHours&(1<<t.Hour()) != 0 || hints.SkipDays&(1<<t.Weekday()) != 0
	}
	if !skipped(t) {
		return t
	}
	for t = t.Truncate(time.Hour).Add(time.Hour); skipped(t); {
		t = t.Add(time.Hour)
	}
	return t.Add(time.Duration(in.jitter() * float64(time.Hour)))
}

// failed updates the state after a failure. The validators remain those of the last stored document, so that the next poll
// requests this one again.
func (in *Ingester) failed(state *feed.PollState, o *outcome, interval time.Duration, now time.Time) {
	state.Errors++
	if state.FailingSince.IsZero() {
		state.FailingSince = now
	}
	if o.response.Status == http.StatusGone {
		in.gone(state, now)
		return
	}
	if asked := fetch.RetryAfter(o.response.Header, now); !asked.IsZero() {
		in.plan(state, now, min(interval, longestStep), "soon after Retry-After")
		if asked.After(state.NextPoll) {
			state.NextPoll, state.NextReason = asked, "Retry-After"
		}
		return
	}
	in.plan(state, now, retryDelay(interval, state, now), "retry after error "+strconv.Itoa(state.Errors))
}

// retryDelay returns the delay after the failures that the state counts.
func retryDelay(interval time.Duration, state *feed.PollState, now time.Time) time.Duration {
	delay := max(shortestStep, min(interval, longestStep))
	switch state.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests:
		delay = refusedDelay
	}
	delay = max(interval, backOff(delay, state.Errors))
	switch failing := now.Sub(state.FailingSince); {
	case failing >= weeklyAfter:
		delay = max(delay, weeklyDelay)
	case failing >= dailyAfter:
		delay = max(delay, maxDelay)
	}
	return delay
}

// backOff doubles a delay with each error after the first, up to maxDelay.
func backOff(delay time.Duration, errs int) time.Duration {
	for e := 1; e < errs && delay < maxDelay; e++ {
		delay *= 2
	}
	return min(delay, maxDelay)
}

// gone updates the state after a 410. A server may send one by mistake, so the source is polled again after a day.
func (in *Ingester) gone(state *feed.PollState, now time.Time) {
	if state.GoneSince.IsZero() {
		state.GoneSince = now
	}
	if now.Sub(state.GoneSince) >= goneDelay {
		state.Gone = true
		state.NextPoll, state.NextReason = time.Time{}, "never: the server said 410 Gone, twice"
		return
	}
	in.plan(state, now, goneDelay, "asked once more after 410 Gone")
}

// pauseHost returns until when a 429 silences the whole host, or the zero time. A 503 concerns one feed.
func pauseHost(source *feed.Source, got *fetch.Response, now time.Time) time.Time {
	if got.Status != http.StatusTooManyRequests || feed.Host(got.URL) != feed.Host(source.Address()) {
		return time.Time{}
	}
	if asked := fetch.RetryAfter(got.Header, now); !asked.IsZero() {
		return now.Add(min(asked.Sub(now), maxPause))
	}
	return now.Add(longestStep)
}
