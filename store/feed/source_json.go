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

	Revision int    `json:"-"`
	Rules    string `json:"-"`

	Pace        []PaceRule `json:"pace,omitempty"`
	Republished []string   `json:"republished,omitempty"`
}

type keepJSON struct {
	Entries int    `json:"entries,omitempty"`
	For     string `json:"for,omitempty"`
}

// MarshalJSON encodes the retention.
func (k Keep) MarshalJSON() ([]byte, error) {
	return json.Marshal(keepJSON{k.Entries, formatDuration(k.For)})
}

// UnmarshalJSON decodes what MarshalJSON encodes.
func (k *Keep) UnmarshalJSON(b []byte) error {
	var w keepJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	since, err := parseDuration("for", w.For)
	*k = Keep{w.Entries, since}
	return err
}

// sourceWire adds derived fields and fields with other types.
type sourceWire struct {
	sourceJSON
	Interval string      `json:"interval,omitempty"`
	State    SourceState `json:"state,omitempty"` // derived; ignored by UnmarshalJSON
}

// MarshalJSON encodes the source with its state.
func (s Source) MarshalJSON() ([]byte, error) {
	state := s.State()
	printable(&s.Added)
	wire := sourceWire{sourceJSON: sourceJSON(s), State: state}
	wire.Interval = formatDuration(s.Interval)
	return json.Marshal(wire)
}

// formatDuration returns "" for 0.
func formatDuration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// parseDuration parses what formatDuration returns.
func parseDuration(field, s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%w %s %q: write it like 90s or 1h30m", ErrInvalid, field, s)
	}
	return d, nil
}

// UnmarshalJSON decodes what MarshalJSON encodes.
func (s *Source) UnmarshalJSON(b []byte) error {
	var wire sourceWire
	if err := json.Unmarshal(b, &wire); err != nil {
		return err
	}
	var err error
	if wire.sourceJSON.Interval, err = parseDuration("interval", wire.Interval); err != nil {
		return err
	}
	*s = Source(wire.sourceJSON)
	return nil
}

// requestJSON omits secrets: it has the names of header fields only, and whether there is a password.
type requestJSON struct {
	Timeout     string   `json:"timeout,omitempty"`
	MinInterval string   `json:"min_interval,omitempty"`
	Headers     []string `json:"headers,omitempty"`
	Username    string   `json:"username,omitempty"`
	Password    bool     `json:"password,omitempty"`
	Proxy       string   `json:"proxy,omitempty"`
}

// MarshalJSON encodes the request without its secrets.
func (r Request) MarshalJSON() ([]byte, error) {
	return json.Marshal(requestJSON{
		Timeout: formatDuration(r.Timeout), MinInterval: formatDuration(r.MinInterval), Headers: slices.Sorted(maps.Keys(r.Headers)),
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
	if r.Timeout, err = parseDuration("timeout", wire.Timeout); err != nil {
		return err
	}
	r.MinInterval, err = parseDuration("min_interval", wire.MinInterval)
	return err
}

type aboutJSON struct {
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Link        string `json:"link,omitempty"`
	Language    string `json:"language,omitempty"`
}

// MarshalJSON encodes the metadata.
func (a About) MarshalJSON() ([]byte, error) { return json.Marshal(aboutJSON(a)) }

// UnmarshalJSON decodes what MarshalJSON encodes.
func (a *About) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*aboutJSON)(a)) }

type ruleJSON struct {
	Name  string `json:"name"`
	Text  string `json:"text"`
	Every string `json:"every,omitempty"`
}

// MarshalJSON encodes the rule.
func (r PaceRule) MarshalJSON() ([]byte, error) {
	return json.Marshal(ruleJSON{r.Name, r.Text, formatDuration(r.Every)})
}

// UnmarshalJSON decodes what MarshalJSON encodes.
func (r *PaceRule) UnmarshalJSON(b []byte) error {
	var w ruleJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	every, err := parseDuration("every", w.Every)
	*r = PaceRule{w.Name, w.Text, every}
	return err
}
