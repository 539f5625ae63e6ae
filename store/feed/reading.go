package feed

import (
	"encoding/json"
	"fmt"
)

// Bounds of what is stored of the reading of a user.
const (
	MaxRead       = 10_000 // entries that were read one by one
	MaxKeptUnread = 1000   // entries that were marked as unread after their source was marked as read
	MaxSaved      = 10_000 // saved entries
)

// ReaderEntry is an entry as one reader sees it.
type ReaderEntry struct {
	Entry
	Read  bool
	Saved bool
}

// MarshalJSON writes the members of the entry, "read" and "saved".
func (e ReaderEntry) MarshalJSON() ([]byte, error) {
	b, err := json.Marshal(e.Entry)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(b[:len(b)-1], `,"read":%t,"saved":%t}`, e.Read, e.Saved), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *ReaderEntry) UnmarshalJSON(b []byte) error {
	var marks struct{ Read, Saved bool }
	if err := json.Unmarshal(b, &marks); err != nil {
		return err
	}
	e.Read, e.Saved = marks.Read, marks.Saved
	return json.Unmarshal(b, &e.Entry)
}

// Selection selects entries of the sources that a user follows. The zero Selection selects all whose sources are not muted.
type Selection struct {
	FeedURL string    // of the only source, which may be muted; empty: all sources
	Folder  *string   // of the sources; "": those without a folder; nil: all
	State   ReadState // empty: read and unread entries
}

// ReadState is whether a user has read an entry.
type ReadState string

// The states.
const (
	StateRead   ReadState = "read"
	StateUnread ReadState = "unread"
)

// Includes reports whether the entries of a follow are selected.
func (s *Selection) Includes(f *Follow) bool {
	if s.FeedURL != "" {
		return f.FeedURL == s.FeedURL
	}
	return !f.Muted && (s.Folder == nil || *s.Folder == f.Folder)
}
