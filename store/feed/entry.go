package feed

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"strconv"
	"strings"
	"time"
)

// Entry is one post of a source: the hash Entry:<n>. FeedURL, GUID and Timestamp are required.
type Entry struct {
	ID        string            `json:"id,omitempty"` // "Entry:5"; empty until it is stored
	FeedURL   string            `json:"feed_url"`
	GUID      string            `json:"guid"`               // unique within the feed
	Timestamp time.Time         `json:"timestamp,omitzero"` // last update, whole seconds; the score in <feed_url>:sort
	Title     string            `json:"title,omitempty"`
	Link      string            `json:"link,omitempty"`    // absolute
	Content   string            `json:"content,omitempty"` // HTML as the source sent it, links resolved
	Summary   string            `json:"summary,omitempty"`
	Authors   []string          `json:"authors,omitempty"`
	Published time.Time         `json:"date_published,omitzero"` // zero: unknown
	Updated   time.Time         `json:"date_updated,omitzero"`   // zero: unknown
	Extra     map[string]string `json:"extra,omitempty"`         // all other fields of the hash, of Fields and arbitrary ones, by name
	Unread    string            `json:"-"`                       // digest before a newer parser read the entry anew; only the store writes it
	Expired   bool              `json:"-"`                       // only users who saved it still have it
	Hidden    bool              `json:"-"`                       // by a moderator, or until one decides, so that only its author sees it
	Aliases   []string          `json:"-"`                       // names besides the guid that identify the entry, see GUIDAlias and LinkAlias
}

// The fields of the hash Entry:<n> that are not plain texts of Fields.
const (
	fieldFeedURL   = "feed_url"
	fieldGUID      = "guid"
	fieldTimestamp = "timestamp"
	fieldAuthor    = "author"  // all names, joined with ", "
	fieldAuthors   = "authors" // JSON list, only if there are several
	fieldPublished = "date_published"
	fieldUpdated   = "date_updated"
	fieldDigest    = "digest"
	fieldAliases   = "aliases"    // separated by spaces
	fieldEdits     = "edits"      // number of changes without a later date_updated; reset after a week without a change
	fieldChangedAt = "changed_at" // when the document with the last change was received; milliseconds

	fieldRereadAt = "reread_at" // when a newer parser changed fields of an entry that was not edited; milliseconds
	fieldUnread   = "unread"    // the digest before that, if it was another; until the next edit

	fieldHidden    = "hidden"     // the entry is in no list of its source, see package entry
	fieldExpiredAt = "expired_at" // when the entry expired, if it was saved by then: it is no longer in a list of its source

	fieldSourceUpdated = "source_updated" // the last date_updated that the source gave, of an entry that was edited; "0": none
)

// maxGUID bounds a guid in bytes. It is the name of a hash field in <feed_url>:guidmap.
const maxGUID = 2048

// ShownTo reports whether moderators let an account read the entry; 0: anyone.
func (e *Entry) ShownTo(account int64) bool {
	return !e.Hidden || account != 0 && account == MemberOf(e.FeedURL)
}

// Number returns the number in the ID of the entry, "5" of "Entry:5".
func (e *Entry) Number() string { return strings.TrimPrefix(e.ID, "Entry:") }

// Validate returns ErrInvalid if required fields are missing, naming all of them, or if the guid is too long.
func (e *Entry) Validate() error {
	var missing []string
	if e.FeedURL == "" {
		missing = append(missing, fieldFeedURL)
	}
	if e.GUID == "" {
		missing = append(missing, fieldGUID)
	}
	if e.Timestamp.IsZero() {
		missing = append(missing, fieldTimestamp)
	}
	switch {
	case len(missing) > 0:
		return fmt.Errorf("%w entry: required and missing: %s", ErrInvalid, strings.Join(missing, ", "))
	case len(e.GUID) > maxGUID:
		return fmt.Errorf("%w entry: guid has %d bytes, at most %d are allowed", ErrInvalid, len(e.GUID), maxGUID)
	}
	return nil
}

// Fields returns the hash of the entry, including its digest. It omits empty fields and those that only the store writes:
// aliases and the number of edits.
func (e *Entry) Fields() map[string]string {
	f := make(map[string]string, 12+len(e.Extra))
	maps.Copy(f, e.Extra)
	put := func(k, v string) {
		if v != "" {
			f[k] = v
		}
	}
	put(fieldFeedURL, e.FeedURL)
	put(fieldGUID, e.GUID)
	put(fieldTimestamp, FormatTime(e.Timestamp))
	for i := range Fields {
		if field := &Fields[i]; field.text != nil {
			put(field.Name, *field.text(e))
		}
	}
	put(fieldAuthor, strings.Join(e.Authors, ", "))
	if len(e.Authors) > 1 {
		list, _ := json.Marshal(e.Authors) // a list of strings always encodes
		put(fieldAuthors, string(list))
	}
	put(fieldPublished, FormatTime(e.Published))
	put(fieldUpdated, FormatTime(e.Updated))
	put(fieldDigest, e.Digest())
	return f
}

// EntryFromFields returns the entry of a stored hash; id is its key without prefix.
func EntryFromFields(id string, fields map[string]string) Entry {
	return EntryFromEach(id, maps.All(fields))
}

// EntryFromEach is EntryFromFields for fields that are not in a map. Their order does not matter.
func EntryFromEach(id string, fields iter.Seq2[string, string]) Entry {
	e := Entry{ID: id}
	var author, authors string
	for k, v := range fields {
		switch k {
		case fieldFeedURL:
			e.FeedURL = v
		case fieldGUID:
			e.GUID = v
		case fieldTimestamp:
			e.Timestamp = ParseTime(v)
		case fieldPublished:
			e.Published = ParseTime(v)
		case fieldUpdated:
			e.Updated = ParseTime(v)
		case fieldUnread:
			e.Unread = v
		case fieldExpiredAt:
			e.Expired = v != ""
		case fieldHidden:
			e.Hidden = v != ""
		case fieldAliases:
			e.Aliases = strings.Fields(v)
		case fieldAuthor:
			author = v
		case fieldAuthors:
			authors = v
		case fieldDigest, fieldEdits, fieldChangedAt, fieldRereadAt, fieldSourceUpdated:
		default:
			if field := FieldNamed(k); field != nil && field.text != nil {
				*field.text(&e) = v
				break
			}
			e.Set(k, v)
		}
	}
	if authors != "" {
		_ = json.Unmarshal([]byte(authors), &e.Authors) // a damaged list falls back to the joined names
	}
	if len(e.Authors) == 0 && author != "" {
		e.Authors = []string{author}
	}
	return e
}

// Set sets a field of Extra.
func (e *Entry) Set(field, value string) {
	if e.Extra == nil {
		e.Extra = make(map[string]string)
	}
	e.Extra[field] = value
}

// FormatTime returns a time as Redis stores it, in whole Unix seconds; empty for the zero time.
func FormatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return strconv.FormatInt(t.Unix(), 10)
}

// ParseTime parses Unix seconds with an optional fraction, in UTC. It returns the zero time for anything else, and for years that RFC
// 3339 cannot express.
func ParseTime(s string) time.Time {
	const earliest, latest = -62e9, 1e11 // the years 5 and 5138
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && n > earliest && n < latest {
		return time.Unix(n, 0).UTC()
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != f || f < earliest || f > latest {
		return time.Time{}
	}
	return time.UnixMilli(int64(f*1000 + 0.5)).UTC()
}

// DeletedEntry is an entry that was taken down.
type DeletedEntry struct {
	GUID string
	Time time.Time
}

// EntryRef names an entry for a lookup that reads one key: the source says where the entry is.
type EntryRef struct {
	FeedURL string
	ID      string // "Entry:5"
}

// RefsOf names entries.
func RefsOf(entries []Entry) []EntryRef {
	all := make([]EntryRef, len(entries))
	for i := range entries {
		all[i] = EntryRef{FeedURL: entries[i].FeedURL, ID: entries[i].ID}
	}
	return all
}
