package feed

import (
	"encoding/json"
	"time"
)

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
	FullAsked    bool      `json:"full_asked,omitempty"`
	Generation   int       `json:"generation,omitempty"`
	Format       string    `json:"format,omitempty"`
	Move         Move      `json:"move,omitzero"`
	Rate         Rate      `json:"rate,omitzero"`
	Hints        Hints     `json:"hints,omitzero"`
	Identity     Identity  `json:"identity,omitempty"`
	Listed       int       `json:"listed,omitempty"`
}

// MarshalJSON writes the state of polling, with the way out of a failure.
func (p PollState) MarshalJSON() ([]byte, error) {
	wayOut := p.WayOut()
	printable(&p.LastPoll, &p.LastOK, &p.LastDocument, &p.NextPoll, &p.GoneSince, &p.FailingSince, &p.LastFull)
	return json.Marshal(struct {
		pollStateJSON
		WayOut string `json:"way_out,omitempty"` // derived; not read back
	}{pollStateJSON(p), wayOut})
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
