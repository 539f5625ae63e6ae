package feed

import (
	"encoding/json"
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
	ID      string            `json:"id"`
	Kind    SignalKind        `json:"kind"`
	FeedURL string            `json:"feed_url"`
	GUID    string            `json:"guid,omitempty"`
	Entry   string            `json:"entry,omitempty"`
	Digest  string            `json:"digest,omitempty"`
	Changed map[string]Change `json:"changed,omitempty"`
	Held    Held              `json:"held,omitzero"`
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
	Aliases   []string          `json:"-"`
}

// MarshalJSON writes the entry. Fields of the hash that have no name here stand in "extra".
func (e Entry) MarshalJSON() ([]byte, error) {
	printable(&e.Timestamp, &e.Published, &e.Updated)
	return json.Marshal(entryJSON(e))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Entry) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*entryJSON)(e)) }

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
	TakenBack   time.Time   `json:"date_taken_back,omitzero"`
	Impressions []time.Time `json:"impressions,omitempty"`
	HeldBack    string      `json:"held_back,omitempty"`
}

// MarshalJSON writes the placement.
func (p Placement) MarshalJSON() ([]byte, error) {
	printable(&p.Published, &p.Imported, &p.Expired, &p.TakenBack)
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
