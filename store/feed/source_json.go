package feed

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

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

	Filters       Filters  `json:"filters,omitzero"`
	Categories    []string `json:"categories,omitempty"`
	IgnoreUpdates bool     `json:"ignore_updates,omitempty"`
	Keep          Keep     `json:"keep,omitzero"`

	Edition int    `json:"-"`
	Rules   string `json:"-"`

	Pace        []Rule   `json:"pace,omitempty"`
	Republished []string `json:"republished,omitempty"`
}

type keepJSON struct {
	Entries int    `json:"entries,omitempty"`
	For     string `json:"for,omitempty"`
}

// MarshalJSON writes what is kept.
func (k Keep) MarshalJSON() ([]byte, error) { return json.Marshal(keepJSON{k.Entries, spell(k.For)}) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (k *Keep) UnmarshalJSON(b []byte) error {
	var w keepJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	since, err := read("for", w.For)
	*k = Keep{w.Entries, since}
	return err
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
	return json.Marshal(requestJSON{
		Timeout: spell(r.Timeout), MinInterval: spell(r.MinInterval), Headers: slices.Sorted(maps.Keys(r.Headers)),
		Username: r.Username, Password: r.Password != "", Proxy: r.ShownProxy(),
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

type ruleJSON struct {
	Name  string `json:"name"`
	Text  string `json:"text"`
	Every string `json:"every,omitempty"`
}

// MarshalJSON writes the rule.
func (r Rule) MarshalJSON() ([]byte, error) {
	return json.Marshal(ruleJSON{r.Name, r.Text, spell(r.Every)})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Rule) UnmarshalJSON(b []byte) error {
	var w ruleJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	every, err := read("every", w.Every)
	*r = Rule{w.Name, w.Text, every}
	return err
}
