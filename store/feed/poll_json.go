package feed

import (
	"encoding/json"
	"time"
)

type pollStateJSON struct {
	ETag          string    `json:"etag,omitempty"`
	LastModified  string    `json:"last_modified,omitempty"`
	BodySum       string    `json:"body_sum,omitempty"`
	LastPoll      time.Time `json:"last_poll,omitzero"`
	LastOK        time.Time `json:"last_ok,omitzero"`
	LastDocument  time.Time `json:"last_document,omitzero"`
	Entries       int       `json:"entries"`
	NextPoll      time.Time `json:"next_poll,omitzero"`
	NextReason    string    `json:"next_reason,omitempty"`
	Status        int       `json:"status,omitempty"`
	Errors        int       `json:"errors"`
	ErrorClass    string    `json:"error_class,omitempty"`
	ErrorText     string    `json:"error_text,omitempty"`
	Gone          bool      `json:"gone,omitempty"`
	GoneSince     time.Time `json:"gone_since,omitzero"`
	FailingSince  time.Time `json:"failing_since,omitzero"`
	Validated     string    `json:"validated,omitempty"`
	LastFull      time.Time `json:"last_full,omitzero"`
	FullRequested bool      `json:"full_requested,omitempty"`
	Generation    int       `json:"generation,omitempty"`
	Format        string    `json:"format,omitempty"`
	Move          Move      `json:"move,omitzero"`
	Rate          Rate      `json:"rate,omitzero"`
	Hints         Hints     `json:"hints,omitzero"`
	Identity      Identity  `json:"identity,omitempty"`
	Listed        int       `json:"listed,omitempty"`
}

// MarshalJSON encodes the state with Advice.
func (p PollState) MarshalJSON() ([]byte, error) {
	wayOut := p.Advice()
	printable(&p.LastPoll, &p.LastOK, &p.LastDocument, &p.NextPoll, &p.GoneSince, &p.FailingSince, &p.LastFull)
	return json.Marshal(struct {
		pollStateJSON
		Advice string `json:"advice,omitempty"` // derived; ignored by UnmarshalJSON
	}{pollStateJSON(p), wayOut})
}

// UnmarshalJSON decodes what MarshalJSON encodes.
func (p *PollState) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*pollStateJSON)(p)) }

type moveJSON struct {
	To      string    `json:"to,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	Seen    int       `json:"seen,omitempty"`
	Adopted time.Time `json:"adopted,omitzero"`
	Checked time.Time `json:"checked,omitzero"`
}

// MarshalJSON encodes the move.
func (m Move) MarshalJSON() ([]byte, error) {
	printable(&m.Since, &m.Adopted, &m.Checked)
	return json.Marshal(moveJSON(m))
}

// UnmarshalJSON decodes what MarshalJSON encodes.
func (m *Move) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*moveJSON)(m)) }

type rateJSON struct {
	Posts float64 `json:"posts"`
	Hours float64 `json:"hours"`
}

// MarshalJSON encodes the rate.
func (r Rate) MarshalJSON() ([]byte, error) { return json.Marshal(rateJSON(r)) }

// UnmarshalJSON decodes what MarshalJSON encodes.
func (r *Rate) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*rateJSON)(r)) }

type hintsJSON struct {
	Interval  string `json:"interval,omitempty"`
	SkipHours uint32 `json:"skip_hours,omitempty"` // bit h: hour h
	SkipDays  uint8  `json:"skip_days,omitempty"`  // bit d: weekday d, Sunday is 0
}

// MarshalJSON encodes the hints.
func (h Hints) MarshalJSON() ([]byte, error) {
	return json.Marshal(hintsJSON{formatDuration(h.Interval), h.SkipHours, h.SkipDays})
}

// UnmarshalJSON decodes what MarshalJSON encodes.
func (h *Hints) UnmarshalJSON(b []byte) error {
	var w hintsJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	interval, err := parseDuration("interval", w.Interval)
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

// MarshalJSON encodes the poll.
func (p Poll) MarshalJSON() ([]byte, error) {
	printable(&p.Time)
	return json.Marshal(pollJSON{p.Time, p.Duration.Milliseconds(), p.Status, p.New, p.Modified, p.Class})
}

// UnmarshalJSON decodes what MarshalJSON encodes.
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

// MarshalJSON encodes the subscription.
func (p Push) MarshalJSON() ([]byte, error) {
	printable(&p.Since, &p.LeaseEnd, &p.LastPush, &p.LastPing)
	return json.Marshal(pushJSON(p))
}

// UnmarshalJSON decodes what MarshalJSON encodes.
func (p *Push) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*pushJSON)(p)) }
