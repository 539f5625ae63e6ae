package ingest

import (
	"math/bits"
	"net/http"
	"strconv"
	"time"

	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/store/feed"
)

// When a source is polled next:
//
//	after a success    its fixed interval, or the adaptive one, which ttl, sy:updatePeriod, skipHours and skipDays of the
//	                   document lengthen; but not before what Cache-Control or Expires says (at most 24 h)
//	after failure e    step·2^(e-1), where step is the interval, between 1 and 15 minutes; at most 24 h, at least that once
//	                   it has failed for 7 days, and a week once it has failed for 30
//	after Retry-After  its interval, at most 15 minutes, but not before the server asked for (at most 7 d): it named the
//	                   time itself
//	after a 410        in a day; when it still says so then, never
//	own outage         its interval: many hosts fail at once, so the source is not to blame
//	store at fault     soon; the failure is not the source's and not counted
//
// Own waiting times are spread by up to a tenth, so that sources added together drift apart.
const (
	shortestStep = time.Minute
	longestStep  = 15 * time.Minute // the server may be restarting
	refusedDelay = time.Hour        // after 401, 403, 404 and 429: someone meant it
	maxDelay     = 24 * time.Hour
	dailyAfter   = 7 * 24 * time.Hour
	weeklyAfter  = 30 * 24 * time.Hour
	weeklyDelay  = 7 * 24 * time.Hour
	goneDelay    = 24 * time.Hour
	maxHint      = 24 * time.Hour
	maxPause     = 24 * time.Hour // of a whole host: one source must not silence its neighbours for longer
	storeDelay   = time.Minute
	spread       = 0.1
)

// outcome is what one poll brought.
type outcome struct {
	request  fetch.Request
	response fetch.Response
	bodySum  string        // of the document, hex; empty: none came
	accepted bool          // its entries are stored, now or by an earlier poll
	fresh    bool          // they were stored now
	saved    feed.Saved    // zero unless fresh
	seed     feed.Rate     // what the dates of a first document tell
	hints    feed.Hints    // of a fresh document
	repairs  []string      // what was mended in it
	repaired bool          // so much that it may lack entries
	identity feed.Identity // by what its entries are told apart
	format   string        // of it
	err      error
}

// after is what a poll that began then leaves behind.
func (in *Ingester) after(source *feed.Source, o *outcome, begun time.Time) feed.PollResult {
	now := in.opts.Now()
	state := source.Poll
	state.LastPoll = now
	state.Status = o.response.Status
	if o.response.Status != 0 && !o.response.Conditional {
		state.LastFull = now
	}
	if recheck(&source.Poll, begun) {
		state.Move.Checked = now
	}
	polled := feed.PollResult{Poll: feed.Poll{
		Time: now, Duration: now.Sub(begun), Status: o.response.Status, New: o.saved.Created, Modified: o.saved.Modified,
	}}
	class := feed.FailureClass("")
	if o.err != nil {
		class = feed.ClassOf(o.err)
		polled.Poll.Class = string(class)
	}
	outage := in.contacts.note(feed.Host(o.request.URL), now, class == feed.FailureDNS || class == feed.FailureConnect)
	switch {
	case o.err == nil:
		in.succeeded(&state, source, o, now)
	case class == feed.FailureStore:
		state.ErrorClass, state.ErrorText = string(class), feed.ShortLine(o.err.Error())
		interval, _ := in.interval(source, &state)
		state.NextPoll = now.Add(in.spread(min(storeDelay, interval)))
		state.NextReason = "retry after a failure of the store"
	case outage:
		state.ErrorClass, state.ErrorText = string(feed.FailureOutage), feed.ShortLine(o.err.Error())+ownFault
		in.atInterval(&state, source, now, ", after an outage on this side")
	case o.request.URL == source.URL && !source.Poll.Move.Adopted.IsZero() && source.Poll.Errors == 0:
		in.atInterval(&state, source, now, "; the old address fails, the new one stays")
	default:
		in.failed(&state, source, o, now)
		polled.PauseHost = pauseHost(source, &o.response, now)
	}
	polled.State = state
	return polled
}

// ownFault is said where the failure is not the source's.
const ownFault = "; most other hosts cannot be reached either"

// atInterval plans the next poll as if nothing had happened.
func (in *Ingester) atInterval(state *feed.PollState, source *feed.Source, now time.Time, why string) {
	interval, reason := in.interval(source, state)
	state.NextPoll, state.NextReason = now.Add(in.spread(interval)), reason+why
}

// succeeded writes a success into the state.
func (in *Ingester) succeeded(state *feed.PollState, source *feed.Source, o *outcome, now time.Time) {
	state.LastOK = now
	state.Errors, state.ErrorClass, state.ErrorText, state.FailingSince = 0, "", "", time.Time{}
	state.Gone, state.GoneSince = false, time.Time{}
	if o.accepted {
		state.LastDocument = now
		state.Generation, state.FullRequested = generation, false
	}
	if o.fresh {
		state.BodySum = o.bodySum
		state.Entries = o.saved.Created + o.saved.Modified + o.saved.Unchanged + o.saved.Dead
		state.Listed = listed(source.Poll.Listed, state.Entries, o.repaired)
		state.Hints = o.hints
		state.Identity = o.identity
		state.Format = o.format
	}
	switch {
	case source.Poll.LastDocument.IsZero():
		state.Rate = o.seed
	case source.Push.State != feed.PushActive: // else what is new has come by push
		state.Rate = watched(state.Rate, now.Sub(source.Poll.LastOK), posted(o.saved))
	}
	o.response.UpdateValidators(state)
	in.follow(state, source, o, now)
	in.schedule(state, source, o, now)
}

// posted is how many posts a poll has brought. Those that a source brings back at once are one event, not many posts.
func posted(saved feed.Saved) int {
	return saved.Created - saved.Unsignalled.Created + min(1, saved.Unsignalled.Created)
}

// listed is how many entries the source may still list: all of its document, but not less than before where the document
// had to be repaired, and not less than half of it in any case. Documents are cut short now and then, and what is
// expired for it would be missing in the next one.
func listed(before, now int, repaired bool) int {
	if !repaired {
		before /= 2
	}
	return max(before, now)
}

// schedule says when a source that is well is polled next.
func (in *Ingester) schedule(state *feed.PollState, source *feed.Source, o *outcome, now time.Time) {
	interval, reason := in.interval(source, state)
	if hint := min(state.Hints.Interval, maxHint); hint > interval && !in.fixed(source) {
		interval, reason = hint, "interval that the feed asks for"
	}
	if source.Push.State == feed.PushActive {
		interval, reason = besidePush(interval), "slowly: its hub pushes"
	}
	state.NextPoll, state.NextReason = now.Add(in.spread(interval)), reason
	if hint, header := fetch.FreshUntil(o.response.Header, now); hint.After(state.NextPoll) {
		state.NextPoll, state.NextReason = hint, header
	}
	if in.fixed(source) {
		return
	}
	if allowed := in.beyondSkipped(state.NextPoll, state.Hints); !allowed.Equal(state.NextPoll) {
		state.NextPoll, state.NextReason = allowed, "hours and days that the feed skips"
	}
}

// beyondSkipped is the first moment from t on that is in no hour and on no day to be skipped, somewhere in that hour. A
// feed that skips all of them is not believed.
func (in *Ingester) beyondSkipped(t time.Time, hints feed.Hints) time.Time {
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

// failed writes a failure into the state; the validators stay those of the last document that was stored, so that the
// next poll asks for this one again.
func (in *Ingester) failed(state *feed.PollState, source *feed.Source, o *outcome, now time.Time) {
	state.ErrorClass, state.ErrorText = string(feed.ClassOf(o.err)), feed.ShortLine(o.err.Error())
	state.Errors++
	if state.FailingSince.IsZero() {
		state.FailingSince = now
	}
	if o.response.Status == http.StatusGone {
		gone(state, now, in.spread(goneDelay))
		return
	}
	base, _ := in.interval(source, state)
	state.NextPoll = now.Add(in.spread(backOff(base, state, now)))
	state.NextReason = "retry after error " + strconv.Itoa(state.Errors)
	if asked := fetch.RetryAfter(o.response.Header, now); !asked.IsZero() {
		state.NextPoll, state.NextReason = now.Add(in.spread(min(base, longestStep))), "soon after Retry-After"
		if asked.After(state.NextPoll) {
			state.NextPoll, state.NextReason = asked, "Retry-After"
		}
	}
}

// backOff is the wait after the failures that the state counts, for a source with the interval base.
func backOff(base time.Duration, state *feed.PollState, now time.Time) time.Duration {
	delay := max(shortestStep, min(base, longestStep))
	switch state.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests:
		delay = refusedDelay
	}
	for e := 1; e < state.Errors && delay < maxDelay; e++ {
		delay *= 2
	}
	delay = max(base, min(delay, maxDelay))
	switch failing := now.Sub(state.FailingSince); {
	case failing >= weeklyAfter:
		delay = max(delay, weeklyDelay)
	case failing >= dailyAfter:
		delay = max(delay, maxDelay)
	}
	return delay
}

// gone writes a 410 into the state: a server may say it once by mistake, so it is asked again after a day.
func gone(state *feed.PollState, now time.Time, delay time.Duration) {
	if state.GoneSince.IsZero() {
		state.GoneSince = now
	}
	if now.Sub(state.GoneSince) >= goneDelay {
		state.Gone = true
		state.NextPoll, state.NextReason = time.Time{}, "never: the server said 410 Gone, twice"
		return
	}
	state.NextPoll, state.NextReason = now.Add(delay), "asked once more after 410 Gone"
}

// pauseHost is until when a 429 silences the whole host; the zero time: not at all. A 503 speaks of one feed.
func pauseHost(source *feed.Source, got *fetch.Response, now time.Time) time.Time {
	if got.Status != http.StatusTooManyRequests || feed.Host(got.URL) != feed.Host(source.Address()) {
		return time.Time{}
	}
	if asked := fetch.RetryAfter(got.Header, now); !asked.IsZero() {
		return now.Add(min(asked.Sub(now), maxPause))
	}
	return now.Add(longestStep)
}

// fixed reports whether a person has chosen the interval of a source.
func (in *Ingester) fixed(source *feed.Source) bool {
	return source.Interval > 0 || in.reloaded.Load().Interval > 0
}

// interval is the time between two polls of a source that is well, and why.
func (in *Ingester) interval(source *feed.Source, state *feed.PollState) (time.Duration, string) {
	everyone := in.reloaded.Load().Interval
	switch {
	case source.Interval > 0:
		return source.Interval, "interval"
	case everyone > 0:
		return everyone, "interval"
	case source.Poll.LastDocument.IsZero():
		return max(firstLook, in.floor(source)), "first interval"
	}
	return adaptive(state.Rate, in.floor(source))
}

// floor is the shortest adaptive interval of a source.
func (in *Ingester) floor(source *feed.Source) time.Duration {
	if source.Request.MinInterval > 0 {
		return source.Request.MinInterval
	}
	return max(in.reloaded.Load().MinInterval, time.Second)
}

// spread lengthens d by up to a tenth.
func (in *Ingester) spread(d time.Duration) time.Duration {
	return d + time.Duration(spread*in.jitter()*float64(d))
}
