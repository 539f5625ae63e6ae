package feed

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"
)

// The JSON forms below are those of the API, of the event stream and of `-o json`. Names are those of the seeds, in
// snake case; times are RFC 3339 in UTC; durations are written like "1h0m0s"; what is empty is left out. Each form
// repeats the fields of its type in the same order, so that the one converts into the other and the compiler tells
// when they part.

// Page is one piece of a list as the API answers it.
type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"` // cursor of the piece that follows; empty: this was the last
}

type signalJSON struct {
	ID      string            `json:"id"`
	Kind    SignalKind        `json:"kind"`
	FeedURL string            `json:"feed_url"`
	GUID    string            `json:"guid,omitempty"`
	Entry   string            `json:"entry,omitempty"`
	Digest  string            `json:"digest,omitempty"`
	Changed map[string]Change `json:"changed,omitempty"`
	Time    time.Time         `json:"time,omitzero"`
	Post    *Entry            `json:"post,omitempty"`
}

// MarshalJSON writes the signal with its post, on one line.
func (s Signal) MarshalJSON() ([]byte, error) {
	printable(&s.Time)
	return json.Marshal(signalJSON(s))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Signal) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*signalJSON)(s)) }

type entryJSON struct {
	ID        string            `json:"id,omitempty"`
	FeedURL   string            `json:"feed_url"`
	GUID      string            `json:"guid"`
	Timestamp time.Time         `json:"timestamp,omitzero"`
	Title     string            `json:"title,omitempty"`
	Link      string            `json:"link,omitempty"`
	Content   string            `json:"content,omitempty"`
	Summary   string            `json:"summary,omitempty"`
	Authors   []string          `json:"authors,omitempty"`
	Published time.Time         `json:"date_published,omitzero"`
	Updated   time.Time         `json:"date_updated,omitzero"`
	Extra     map[string]string `json:"extra,omitempty"`
}

// MarshalJSON writes the entry. Fields of the hash that have no name here stand in "extra".
func (e Entry) MarshalJSON() ([]byte, error) {
	printable(&e.Timestamp, &e.Published, &e.Updated)
	return json.Marshal(entryJSON(e))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Entry) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*entryJSON)(e)) }

type articleJSON struct {
	UUID      string               `json:"uuid"`
	FeedURL   string               `json:"feed_url,omitempty"`
	GUID      string               `json:"guid,omitempty"`
	Entry     string               `json:"entry,omitempty"`
	Title     string               `json:"title,omitempty"`
	Canonical string               `json:"canonical,omitempty"`
	Authors   []string             `json:"authors,omitempty"`
	Summary   string               `json:"summary,omitempty"`
	Content   string               `json:"content,omitempty"`
	Digest    string               `json:"digest,omitempty"`
	Signal    string               `json:"signal,omitempty"`
	Published time.Time            `json:"date_editorially_published,omitzero"`
	Modified  time.Time            `json:"date_modified,omitzero"`
	Updated   time.Time            `json:"date_updated,omitzero"`
	Feeds     map[string]Placement `json:"feeds,omitempty"`
}

// MarshalJSON writes the article with its placements by outgoing feed.
func (a Article) MarshalJSON() ([]byte, error) {
	printable(&a.Published, &a.Modified, &a.Updated)
	return json.Marshal(articleJSON(a))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (a *Article) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*articleJSON)(a)) }

type placementJSON struct {
	State       State       `json:"state"`
	Revision    int         `json:"revision"`
	Published   time.Time   `json:"date_published,omitzero"`
	Imported    time.Time   `json:"date_imported,omitzero"`
	Expired     time.Time   `json:"date_expired,omitzero"`
	TakenBack   time.Time   `json:"date_taken_back,omitzero"`
	Impressions []time.Time `json:"impressions,omitempty"`
}

// MarshalJSON writes the placement.
func (p Placement) MarshalJSON() ([]byte, error) {
	printable(&p.Published, &p.Imported, &p.Expired, &p.TakenBack)
	return json.Marshal(placementJSON(p))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Placement) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*placementJSON)(p)) }

type transitionJSON struct {
	From     State `json:"from"`
	To       State `json:"to"`
	Revision int   `json:"revision"`
	Changed  bool  `json:"changed"`
	Repeated bool  `json:"-"`
}

// MarshalJSON writes the transition.
func (t Transition) MarshalJSON() ([]byte, error) { return json.Marshal(transitionJSON(t)) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *Transition) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*transitionJSON)(t)) }

type sourceJSON struct {
	ID       string        `json:"id"`
	URL      string        `json:"url"`
	Feeds    []string      `json:"feeds,omitempty"`
	Publish  PublishMode   `json:"publish,omitempty"`
	Interval time.Duration `json:"-"`
	Request  Request       `json:"request,omitzero"`
	Paused   bool          `json:"paused"`
	Added    time.Time     `json:"added,omitzero"`
	About    About         `json:"about,omitzero"`
	Poll     PollState     `json:"poll,omitzero"`
	Push     Push          `json:"push,omitzero"`
	Polls    []Poll        `json:"polls,omitempty"`

	Filters    Filters  `json:"filters,omitzero"`
	Categories []string `json:"categories,omitempty"`
}

// sourceWire adds to the form of a source what needs another type, or is derived.
type sourceWire struct {
	sourceJSON
	Interval string      `json:"interval,omitempty"`
	State    SourceState `json:"state,omitempty"` // derived; not read back
}

// MarshalJSON writes the source with its derived state.
func (s Source) MarshalJSON() ([]byte, error) {
	state := s.State()
	printable(&s.Added)
	wire := sourceWire{sourceJSON: sourceJSON(s), State: state}
	wire.Interval = spell(s.Interval)
	return json.Marshal(wire)
}

// spell writes a duration, and no duration as nothing.
func spell(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// read is the duration that spell wrote.
func read(field, s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%w %s %q: write it like 90s or 1h30m", ErrInvalid, field, s)
	}
	return d, nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Source) UnmarshalJSON(b []byte) error {
	var wire sourceWire
	if err := json.Unmarshal(b, &wire); err != nil {
		return err
	}
	var err error
	if wire.sourceJSON.Interval, err = read("interval", wire.Interval); err != nil {
		return err
	}
	*s = Source(wire.sourceJSON)
	return nil
}

// requestJSON leaves out what may be secret: of headers it has the names, of a password that there is one.
type requestJSON struct {
	Timeout     string   `json:"timeout,omitempty"`
	MinInterval string   `json:"min_interval,omitempty"`
	Headers     []string `json:"headers,omitempty"`
	Username    string   `json:"username,omitempty"`
	Password    bool     `json:"password,omitempty"`
	Proxy       string   `json:"proxy,omitempty"`
}

// MarshalJSON writes what may be seen. It is not read back.
func (r Request) MarshalJSON() ([]byte, error) {
	proxy := r.Proxy
	if u, err := url.Parse(proxy); err == nil {
		proxy = u.Redacted()
	}
	return json.Marshal(requestJSON{
		Timeout: spell(r.Timeout), MinInterval: spell(r.MinInterval), Headers: slices.Sorted(maps.Keys(r.Headers)),
		Username: r.Username, Password: r.Password != "", Proxy: proxy,
	})
}

// UnmarshalJSON reads what MarshalJSON wrote, without what it left out.
func (r *Request) UnmarshalJSON(b []byte) error {
	var wire requestJSON
	if err := json.Unmarshal(b, &wire); err != nil {
		return err
	}
	var err error
	*r = Request{Username: wire.Username, Proxy: wire.Proxy}
	if r.Timeout, err = read("timeout", wire.Timeout); err != nil {
		return err
	}
	r.MinInterval, err = read("min_interval", wire.MinInterval)
	return err
}

type aboutJSON struct {
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Link        string `json:"link,omitempty"`
	Language    string `json:"language,omitempty"`
}

// MarshalJSON writes what the feed says of itself.
func (a About) MarshalJSON() ([]byte, error) { return json.Marshal(aboutJSON(a)) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (a *About) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*aboutJSON)(a)) }

type pollStateJSON struct {
	ETag         string    `json:"etag,omitempty"`
	LastModified string    `json:"last_modified,omitempty"`
	BodySum      string    `json:"body_sum,omitempty"`
	LastPoll     time.Time `json:"last_poll,omitzero"`
	LastOK       time.Time `json:"last_ok,omitzero"`
	LastDocument time.Time `json:"last_document,omitzero"`
	Entries      int       `json:"entries"`
	NextPoll     time.Time `json:"next_poll,omitzero"`
	NextReason   string    `json:"next_reason,omitempty"`
	Status       int       `json:"status,omitempty"`
	Errors       int       `json:"errors"`
	ErrorClass   string    `json:"error_class,omitempty"`
	ErrorText    string    `json:"error_text,omitempty"`
	Gone         bool      `json:"gone,omitempty"`
	GoneSince    time.Time `json:"gone_since,omitzero"`
	FailingSince time.Time `json:"failing_since,omitzero"`
	Validated    string    `json:"validated,omitempty"`
	LastFull     time.Time `json:"last_full,omitzero"`
	Generation   int       `json:"generation,omitempty"`
	Format       string    `json:"format,omitempty"`
	Move         Move      `json:"move,omitzero"`
	Rate         Rate      `json:"rate,omitzero"`
	Hints        Hints     `json:"hints,omitzero"`
}

// MarshalJSON writes the state of polling.
func (p PollState) MarshalJSON() ([]byte, error) {
	printable(&p.LastPoll, &p.LastOK, &p.LastDocument, &p.NextPoll, &p.GoneSince, &p.FailingSince, &p.LastFull)
	return json.Marshal(pollStateJSON(p))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *PollState) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*pollStateJSON)(p)) }

type moveJSON struct {
	To      string    `json:"to,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	Seen    int       `json:"seen,omitempty"`
	Adopted time.Time `json:"adopted,omitzero"`
	Checked time.Time `json:"checked,omitzero"`
}

// MarshalJSON writes the move.
func (m Move) MarshalJSON() ([]byte, error) {
	printable(&m.Since, &m.Adopted, &m.Checked)
	return json.Marshal(moveJSON(m))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (m *Move) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*moveJSON)(m)) }

type rateJSON struct {
	Posts float64 `json:"posts"`
	Hours float64 `json:"hours"`
}

// MarshalJSON writes the rate.
func (r Rate) MarshalJSON() ([]byte, error) { return json.Marshal(rateJSON(r)) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Rate) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*rateJSON)(r)) }

type hintsJSON struct {
	Interval  string `json:"interval,omitempty"`
	SkipHours uint32 `json:"skip_hours,omitempty"` // bit h: hour h
	SkipDays  uint8  `json:"skip_days,omitempty"`  // bit d: weekday d, Sunday is 0
}

// MarshalJSON writes the hints.
func (h Hints) MarshalJSON() ([]byte, error) {
	return json.Marshal(hintsJSON{spell(h.Interval), h.SkipHours, h.SkipDays})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (h *Hints) UnmarshalJSON(b []byte) error {
	var w hintsJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	interval, err := read("interval", w.Interval)
	*h = Hints{interval, w.SkipHours, w.SkipDays}
	return err
}

type pollJSON struct {
	Time     time.Time `json:"time,omitzero"`
	MS       int64     `json:"ms"`
	Status   int       `json:"status,omitempty"`
	New      int       `json:"new"`
	Modified int       `json:"modified"`
	Class    string    `json:"class,omitempty"`
}

// MarshalJSON writes the line of the history.
func (p Poll) MarshalJSON() ([]byte, error) {
	printable(&p.Time)
	return json.Marshal(pollJSON{p.Time, p.Took.Milliseconds(), p.Status, p.New, p.Modified, p.Class})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Poll) UnmarshalJSON(b []byte) error {
	var w pollJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*p = Poll{w.Time, time.Duration(w.MS) * time.Millisecond, w.Status, w.New, w.Modified, w.Class}
	return nil
}

type pushJSON struct {
	State     PushState `json:"state,omitempty"`
	Hub       string    `json:"hub,omitempty"`
	Topic     string    `json:"topic,omitempty"`
	Since     time.Time `json:"since,omitzero"`
	LeaseEnd  time.Time `json:"lease_end,omitzero"`
	LastPush  time.Time `json:"last_push,omitzero"`
	LastPing  time.Time `json:"last_ping,omitzero"`
	Pushes    int       `json:"pushes"`
	Refused   int       `json:"refused,omitempty"`
	Missed    int       `json:"missed"`
	Errors    int       `json:"errors,omitempty"`
	ErrorText string    `json:"error_text,omitempty"`
}

// MarshalJSON writes the subscription.
func (p Push) MarshalJSON() ([]byte, error) {
	printable(&p.Since, &p.LeaseEnd, &p.LastPush, &p.LastPing)
	return json.Marshal(pushJSON(p))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Push) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*pushJSON)(p)) }

// printable brings times to UTC. Those that RFC 3339 cannot write become unknown: a source may send the year 20000,
// and that must not spoil the list it stands in.
func printable(times ...*time.Time) {
	for _, t := range times {
		if y := t.UTC().Year(); y < 0 || y > 9999 {
			*t = time.Time{}
		}
		*t = t.UTC()
	}
}
