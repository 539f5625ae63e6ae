package feed

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"
)

// The JSON forms here, in source_json.go and in poll_json.go are those of the API, of the event stream and of `-o json`.
// Names are those of the seeds, in snake case; times are RFC 3339 in UTC; durations are written like "1h0m0s"; what is
// empty is left out. Each form repeats the fields of its type in the same order, so that the one converts into the other
// and the compiler tells when they part.

// Page is one piece of a list as the API answers it.
type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"` // cursor of the piece that follows; empty: this was the last
}

type signalJSON struct {
	ID          string            `json:"id"`
	Kind        SignalKind        `json:"kind"`
	FeedURL     string            `json:"feed_url"`
	GUID        string            `json:"guid,omitempty"`
	Entry       string            `json:"entry,omitempty"`
	Digest      string            `json:"digest,omitempty"`
	Changed     map[string]Change `json:"changed,omitempty"`
	Unsignalled Unsignalled       `json:"unsignalled,omitzero"`
	Time        time.Time         `json:"time,omitzero"`
	Post        *Entry            `json:"post,omitempty"`
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
	Aliases   []string          `json:"-"`
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
		if value := f.json(&e); value != nil {
			members = append(append(append(members, ',', '"'), f.Name...), '"', ':')
			members = append(members, value...)
			delete(extra, f.Name)
		}
	}
	e.Extra = extra
	b, err := json.Marshal(entryJSON(e))
	if err != nil {
		return nil, err
	}
	return append(append(b[:len(b)-1], members...), '}'), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Entry) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, (*entryJSON)(e)); err != nil {
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
		if e.Extra == nil {
			e.Extra = make(map[string]string)
		}
		e.Extra[f.Name] = value
	}
	return nil
}

type articleJSON struct {
	UUID       string               `json:"uuid"`
	FeedURL    string               `json:"feed_url,omitempty"`
	GUID       string               `json:"guid,omitempty"`
	Entry      string               `json:"entry,omitempty"`
	Title      string               `json:"title,omitempty"`
	Canonical  string               `json:"canonical,omitempty"`
	Authors    []string             `json:"authors,omitempty"`
	Summary    string               `json:"summary,omitempty"`
	Categories []string             `json:"categories,omitempty"`
	Image      string               `json:"image,omitempty"`
	Enclosures []Enclosure          `json:"enclosures,omitempty"`
	Content    string               `json:"content,omitempty"`
	Digest     string               `json:"digest,omitempty"`
	DigestV1   string               `json:"-"`
	Signal     string               `json:"signal,omitempty"`
	Published  time.Time            `json:"date_editorially_published,omitzero"`
	Modified   time.Time            `json:"date_modified,omitzero"`
	Updated    time.Time            `json:"date_updated,omitzero"`
	Feeds      map[string]Placement `json:"feeds,omitempty"`
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
	Withdrawn   time.Time   `json:"date_withdrawn,omitzero"`
	Impressions []time.Time `json:"impressions,omitempty"`
	Blocked     string      `json:"blocked,omitempty"`
}

// MarshalJSON writes the placement.
func (p Placement) MarshalJSON() ([]byte, error) {
	printable(&p.Published, &p.Imported, &p.Expired, &p.Withdrawn)
	return json.Marshal(placementJSON(p))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Placement) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*placementJSON)(p)) }

type transitionJSON struct {
	From     State  `json:"from"`
	To       State  `json:"to"`
	Revision int    `json:"revision"`
	Changed  bool   `json:"changed"`
	Repeated bool   `json:"-"`
	Undo     string `json:"undo,omitempty"`
}

// MarshalJSON writes the transition.
func (t Transition) MarshalJSON() ([]byte, error) { return json.Marshal(transitionJSON(t)) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *Transition) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*transitionJSON)(t)) }

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
