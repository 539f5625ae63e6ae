package ingest

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/feedwire/feedwire/store/feed"
)

// When a source is polled next:
//
//	after a success    its interval, but not before what Cache-Control or Expires says (at most 24 h)
//	after failure e    firstDelay·2^(e-1), at most 24 h
//	after Retry-After  its interval, but not before the server asked for (at most 7 d): it named the time itself
//	after a 410        never
//	store at fault     soon; the failure is not the source's and not counted
//
// Own waiting times are spread by up to a tenth, so that sources added together drift apart.
const (
	firstDelay   = time.Minute // the server may be restarting
	refusedDelay = time.Hour   // after 401, 403, 404 and 429: someone meant it
	maxDelay     = 24 * time.Hour
	maxHint      = 24 * time.Hour
	maxWait      = 7 * 24 * time.Hour // of Retry-After
	storeDelay   = time.Minute
	spread       = 0.1
)

// outcome is what one poll brought.
type outcome struct {
	answer   answer
	bodySum  string     // of the document, hex; empty: none came
	accepted bool       // its entries are stored, now or by an earlier poll
	saved    feed.Saved // zero unless a new document came
	err      error
}

// after is the state of a source after a poll.
func (in *Ingester) after(source *feed.Source, o *outcome) feed.PollState {
	now := in.opts.Now()
	state := source.Poll
	state.LastPoll = now
	state.Status = o.answer.status
	if o.err != nil {
		in.failed(&state, source, o, now)
		return state
	}
	state.LastOK = now
	state.Errors, state.ErrorClass, state.ErrorText, state.Gone = 0, "", "", false
	if o.accepted {
		state.LastDocument = now
	}
	if o.accepted && o.bodySum != source.Poll.BodySum {
		state.BodySum = o.bodySum
		state.Entries = o.saved.Created + o.saved.Modified + o.saved.Unchanged + o.saved.Dead
	}
	keepValidators(&state, &o.answer)
	state.NextPoll, state.NextReason = now.Add(in.spread(in.interval(source))), "interval"
	if source.Push.State == feed.PushActive {
		state.NextPoll, state.NextReason = now.Add(in.spread(besidePush(in.interval(source)))), "slowly: its hub pushes"
	}
	if hint, header := notBefore(o.answer.header, now); hint.After(state.NextPoll) {
		state.NextPoll, state.NextReason = hint, header
	}
	return state
}

// failed writes a failure into the state; the validators stay those of the last document that was stored, so that the
// next poll asks for this one again.
func (in *Ingester) failed(state *feed.PollState, source *feed.Source, o *outcome, now time.Time) {
	class := classOf(o.err)
	state.ErrorClass, state.ErrorText = string(class), explain(o.err)
	if class == ClassStore {
		state.NextPoll = now.Add(in.spread(min(storeDelay, in.interval(source))))
		state.NextReason = "retry after a failure of the store"
		return
	}
	state.Errors++
	if o.answer.status == http.StatusGone {
		state.Gone = true
		state.NextPoll, state.NextReason = time.Time{}, "never: the server said 410 Gone"
		return
	}
	delay := firstDelay
	switch o.answer.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests:
		delay = refusedDelay
	}
	for e := 1; e < state.Errors && delay < maxDelay; e++ {
		delay *= 2
	}
	state.NextPoll = now.Add(in.spread(min(delay, maxDelay)))
	state.NextReason = "retry after error " + strconv.Itoa(state.Errors)
	if asked := retryAfter(o.answer.header, now); !asked.IsZero() {
		state.NextPoll, state.NextReason = now.Add(in.spread(in.interval(source))), "interval after Retry-After"
		if asked.After(state.NextPoll) {
			state.NextPoll, state.NextReason = asked, "Retry-After"
		}
	}
}

// keepValidators takes over each validator that came, byte for byte. A 200 without one takes the old one away, a 304
// does not have to repeat it (RFC 9110 section 15.4.5). Those of a redirect's target are not the source's.
func keepValidators(state *feed.PollState, got *answer) {
	if got.redirected {
		state.ETag, state.LastModified = "", ""
		return
	}
	etag, modified := validator(got.header, "ETag"), validator(got.header, "Last-Modified")
	if etag != "" || !got.notModified {
		state.ETag = etag
	}
	if modified != "" || !got.notModified {
		state.LastModified = modified
	}
}

// maxValidator bounds a validator, in bytes; it is stored and sent with every poll.
const maxValidator = 1024

// validator reads a header field that can be sent back as it is; one that cannot would make every later poll fail.
func validator(h http.Header, field string) string {
	value := h.Get(field)
	if len(value) > maxValidator || !httpguts.ValidHeaderFieldValue(value) {
		return ""
	}
	return value
}

func (in *Ingester) interval(source *feed.Source) time.Duration {
	if source.Interval > 0 {
		return source.Interval
	}
	return in.opts.Interval
}

// spread lengthens d by up to a tenth.
func (in *Ingester) spread(d time.Duration) time.Duration {
	return d + time.Duration(spread*in.jitter()*float64(d))
}

// notBefore is until when the answer is fresh and the header that says so (RFC 9111 section 4.2); the zero time: nothing
// is said.
func notBefore(h http.Header, now time.Time) (time.Time, string) {
	for _, directive := range strings.Split(strings.Join(h.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), "=")
		switch name {
		case "no-cache", "no-store":
			return time.Time{}, ""
		case "max-age":
			age, err := seconds(strings.Trim(value, `"`), maxHint)
			if err != nil {
				return time.Time{}, ""
			}
			spent, _ := seconds(h.Get("Age"), maxHint) // zero where nothing sensible is said
			return now.Add(max(0, age-spent)), "Cache-Control"
		}
	}
	expires, err := http.ParseTime(h.Get("Expires"))
	if err != nil {
		return time.Time{}, ""
	}
	said := now
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		said = date
	}
	return now.Add(min(max(0, expires.Sub(said)), maxHint)), "Expires"
}

// retryAfter reads Retry-After, in seconds or as a date (RFC 9110 section 10.2.3); the zero time: nothing is said.
func retryAfter(h http.Header, now time.Time) time.Time {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if wait, err := seconds(value, maxWait); err == nil {
		return now.Add(wait)
	}
	if date, err := http.ParseTime(value); err == nil {
		return now.Add(min(date.Sub(now), maxWait))
	}
	return time.Time{}
}

// seconds reads a non-negative number of seconds and cuts it at most.
func seconds(s string, most time.Duration) (time.Duration, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return most, nil
	case err != nil:
		return 0, err
	}
	return time.Duration(min(n, uint64(most/time.Second))) * time.Second, nil
}
