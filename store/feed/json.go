package feed

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// The JSON of the API, of the event stream and of `-o json`: names in snake case as in the seeds, times in RFC 3339 and UTC, durations
// like "1h0m0s", empty values omitted. ParseTime returns times that JSON can have; types whose times may come from elsewhere have a
// MarshalJSON that calls printable.

// Page is one page of a list.
type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"` // cursor of the next page; empty: this is the last
}

// MarshalJSON writes the entry. Members are named like the fields of the hash; "extra" holds the fields that Fields does
// not list, and malformed values.
func (e Entry) MarshalJSON() ([]byte, error) {
	printable(&e.Timestamp, &e.Published, &e.Updated)
	extra := maps.Clone(e.Extra)
	var members []byte
	for i := range Fields {
		f := &Fields[i]
		if !f.inExtra() {
			continue
		}
		if value := f.Value(&e); value != nil {
			members = append(append(append(members, ',', '"'), f.Name...), '"', ':')
			members = append(members, value...)
			delete(extra, f.Name)
		}
	}
	e.Extra = extra
	type plain Entry
	b, err := json.Marshal(plain(e))
	if err != nil {
		return nil, err
	}
	return append(append(b[:len(b)-1], members...), '}'), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Entry) UnmarshalJSON(b []byte) error {
	type plain Entry
	if err := json.Unmarshal(b, (*plain)(e)); err != nil {
		return err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil {
		return err
	}
	for i := range Fields {
		f := &Fields[i]
		raw, ok := members[f.Name]
		if !ok || !f.inExtra() {
			continue
		}
		value, err := f.fromJSON(raw)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		e.Set(f.Name, value)
	}
	return nil
}

// FieldValues are fields of an entry in their stored form, by name. In JSON they have the form of the API.
type FieldValues map[string]string

// FieldValues returns the fields of the entry that an article has no member for, besides texts.
func (e *Entry) FieldValues() FieldValues {
	values := make(FieldValues)
	for i := range Fields {
		if f := &Fields[i]; f.inExtra() && f.Name != FieldEnclosures && e.Extra[f.Name] != "" {
			values[f.Name] = e.Extra[f.Name]
		}
	}
	return values
}

// MarshalJSON writes the values. It omits malformed ones.
func (v FieldValues) MarshalJSON() ([]byte, error) {
	members := make(map[string]json.RawMessage, len(v))
	for name := range v {
		if f := FieldNamed(name); f.inExtra() {
			if value := f.Value(&Entry{Extra: v}); value != nil {
				members[name] = value
			}
		}
	}
	return []byte(EncodeList(members)), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (v *FieldValues) UnmarshalJSON(b []byte) error {
	var e Entry
	if err := json.Unmarshal(b, &e); err != nil {
		return err
	}
	*v = e.Extra
	return nil
}

// wire returns a view of the source with the members that differ from its fields, for both directions.
func (s *Source) wire() any {
	type plain Source
	return &struct {
		*plain
		Interval *Duration   `json:"interval,omitzero"`
		State    SourceState `json:"state"`           // derived, as is Cause; ignored by UnmarshalJSON
		Cause    Cause       `json:"cause,omitempty"` // why the source needs a person
	}{(*plain)(s), (*Duration)(&s.Interval), s.State(), s.Cause()}
}

// MarshalJSON encodes the source with its state.
func (s Source) MarshalJSON() ([]byte, error) {
	printable(&s.Added)
	return json.Marshal(s.wire())
}

// UnmarshalJSON decodes what MarshalJSON encodes.
func (s *Source) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, s.wire()) }

// wireRequest omits secrets: it has the names of header fields only, and whether there is a password.
type wireRequest struct {
	Timeout     Duration `json:"timeout,omitzero"`
	MinInterval Duration `json:"min_interval,omitzero"`
	Headers     []string `json:"headers,omitempty"`
	Username    string   `json:"username,omitempty"`
	Password    bool     `json:"password,omitempty"`
	Proxy       string   `json:"proxy,omitempty"`
	SecretsFor  string   `json:"secrets_for,omitempty"`
	Cleared     string   `json:"cleared,omitempty"`
}

// MarshalJSON encodes the request without its secrets.
func (r Request) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireRequest{
		Duration(r.Timeout), Duration(r.MinInterval), slices.Sorted(maps.Keys(r.Headers)), r.Username, r.Password != "", r.ShownProxy(),
		r.SecretsFor, r.Cleared,
	})
}

// UnmarshalJSON decodes what MarshalJSON encodes: header fields and password are lost.
func (r *Request) UnmarshalJSON(b []byte) error {
	var w wireRequest
	err := json.Unmarshal(b, &w)
	*r = Request{
		Timeout: time.Duration(w.Timeout), MinInterval: time.Duration(w.MinInterval), Username: w.Username, Proxy: w.Proxy,
		SecretsFor: w.SecretsFor, Cleared: w.Cleared,
	}
	return err
}

// MarshalJSON encodes the state with Advice.
func (p PollState) MarshalJSON() ([]byte, error) {
	type plain PollState
	printable(&p.LastPoll, &p.LastOK, &p.LastDocument, &p.NextPoll, &p.GoneSince, &p.FailingSince, &p.LastFull,
		&p.Move.Since, &p.Move.Adopted, &p.Move.Checked)
	return json.Marshal(struct {
		plain
		Advice string `json:"advice,omitempty"` // derived
	}{plain(p), p.Advice()})
}

// Duration is a duration that JSON has like "1h0m0s".
type Duration time.Duration

// IsZero reports whether the duration is omitted, also one that a pointer leads to.
func (d Duration) IsZero() bool { return d == 0 }

// MarshalText encodes the duration.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText decodes what MarshalText encodes.
func (d *Duration) UnmarshalText(b []byte) error {
	parsed, err := time.ParseDuration(string(b))
	if err != nil {
		return fmt.Errorf("%w duration %q: write it like 90s or 1h30m", ErrInvalid, b)
	}
	*d = Duration(parsed)
	return nil
}

// printable converts times to UTC. Times that RFC 3339 cannot express become unknown: a source may send the year 20000, which must not
// spoil the list with its entry.
func printable(times ...*time.Time) {
	for _, t := range times {
		if y := t.UTC().Year(); y < 0 || y > 9999 {
			*t = time.Time{}
		}
		*t = t.UTC()
	}
}
