package feed

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// PublishMode is who publishes the articles of a source.
type PublishMode string

// Modes. The empty mode means manual.
const (
	PublishManual PublishMode = "manual" // an editor publishes them
	PublishAuto   PublishMode = "auto"   // publish automatically
)

// TimestampRule says which date orders the entries of a source: Entry.Timestamp.
type TimestampRule string

// Rules. The empty rule means TimestampSource.
const (
	TimestampSource  TimestampRule = "source"  // the latest date that the source gives the entry
	TimestampUpdated TimestampRule = "updated" // its last edit, also one that the source gives no new date
)

// IsKnown reports whether this is one of the rules.
func (r TimestampRule) IsKnown() bool {
	return r == "" || r == TimestampSource || r == TimestampUpdated
}

// SourceState is the state of a source.
type SourceState string

// States of a source.
const (
	SourceActive  SourceState = "active"
	SourceFailing SourceState = "failing" // the last poll failed; retried later
	SourcePaused  SourceState = "paused"  // by a person
	SourceGone    SourceState = "gone"    // the server responded 410; no longer polled
)

// Source is a feed that is polled: its identity, its settings, the metadata of its last document and the state of polling. The tag
// redis is the name of a field in the hash of the source.
type Source struct {
	ID       string        `json:"id"`                                   // SourceID(URL)
	URL      string        `json:"url"`                                  // canonical, see CanonicalURL; the feed_url of the API
	Label    string        `json:"name,omitempty" redis:"name"`          // chosen by a person; empty: the title of the feed is the name
	Feeds    []string      `json:"feeds,omitempty" redis:"feeds,commas"` // outgoing feeds for which its entries become articles
	Publish  PublishMode   `json:"publish,omitempty" redis:"publish"`
	Interval time.Duration `json:"-" redis:"interval"` // between polls; 0: default of the daemon
	Request  Request       `json:"request,omitzero"`   // connection settings
	Paused   bool          `json:"paused" redis:"paused"`
	Added    time.Time     `json:"added,omitzero" redis:"added"`
	About    About         `json:"about,omitzero"` // metadata of the last document
	Poll     PollState     `json:"poll,omitzero"`
	Push     Push          `json:"push,omitzero" redis:"-"` // subscription at its hub
	Polls    []Poll        `json:"polls,omitempty"`         // newest first, up to MaxPolls; only if requested

	Filters       Filters  `json:"filters,omitzero" redis:"filters"`                // select entries
	Categories    []string `json:"categories,omitempty" redis:"categories"`         // for people, see CleanCategories
	IgnoreUpdates bool     `json:"ignore_updates,omitempty" redis:"ignore_updates"` // ignore changes of stored entries
	Keep          Keep     `json:"keep,omitzero"`                                   // retention of entries

	Timestamp TimestampRule `json:"timestamp,omitempty" redis:"timestamp"` // of its entries

	Revision int    `json:"-" redis:"edition"` // counts changes of the settings; 0: unknown
	Rules    string `json:"-"`                 // file of publisher rules, from the configuration; not stored

	Pace        []PaceRule `json:"pace,omitempty"`        // why the poll interval is as it is; only if requested
	Republished []string   `json:"republished,omitempty"` // URLs of its feeds at this daemon; only if requested
}

// Keep is the retention of entries. Entries that the source still lists never expire.
type Keep struct {
	Entries int      `json:"entries,omitempty" redis:"keep_entries"` // the newest; 0: default of the daemon
	For     Duration `json:"for,omitzero" redis:"keep_for"`          // since their timestamp; 0: default of the daemon
}

// Identity is how entries of a source are identified. If a source gives several entries the same identity, it moves to the
// next kind, and never back automatically: each change of identities can turn one entry into two.
type Identity string

// Kinds of identity, best first. The empty Identity means IdentityGUID.
const (
	IdentityGUID Identity = "guid" // guid, or link if there is none
	IdentityLink Identity = "link" // link
	IdentityText Identity = "text" // link and title
)

// Address returns the URL to poll: that of the source, the one that a person chose, or the adopted target of its permanent redirect.
func (s *Source) Address() string { return s.Poll.Address(s.URL) }

// Address returns the URL to poll of the source with a URL.
func (p *PollState) Address(url string) string {
	if p.Move.Adopted.IsZero() {
		return url
	}
	return p.Move.To
}

// Private reports whether the source requires credentials: a password, or header fields that may contain a key.
func (s *Source) Private() bool { return s.Request.HasSecrets() }

// SecretsOrigin returns the Origin for which the credentials of the source were entered. They are sent nowhere else.
func (s *Source) SecretsOrigin() string { return cmp.Or(s.Request.SecretsFor, Origin(s.URL)) }

// PollState is the state of polling a source. It is written as a whole at the end of a poll.
type PollState struct {
	ETag          string    `json:"etag,omitempty" redis:"etag"`                   // unchanged; empty: none
	LastModified  string    `json:"last_modified,omitempty" redis:"last_modified"` // unchanged; empty: none
	BodySum       string    `json:"body_sum,omitempty" redis:"body_sum"`           // SHA-256 of the last saved document, hex
	LastPoll      time.Time `json:"last_poll,omitzero" redis:"last_poll"`          // end of the last poll
	LastOK        time.Time `json:"last_ok,omitzero" redis:"last_ok"`              // end of the last successful poll
	LastDocument  time.Time `json:"last_document,omitzero" redis:"last_document"`  // last document, without 304 responses
	Entries       int       `json:"entries" redis:"entries"`                       // entries in that document
	NextPoll      time.Time `json:"next_poll,omitzero" redis:"next_poll"`
	NextReason    string    `json:"next_reason,omitempty" redis:"next_reason"`    // of NextPoll: "interval", "retry after error 3", "Retry-After" …
	Status        int       `json:"status,omitempty" redis:"status"`              // HTTP status of the last poll; 0: no response
	Errors        int       `json:"errors" redis:"errors"`                        // consecutive failures
	ErrorClass    string    `json:"error_class,omitempty" redis:"error_class"`    // a FailureClass; empty: the last poll succeeded
	ErrorText     string    `json:"error_text,omitempty" redis:"error_text"`      // what failed; Advice has the remedy
	Gone          bool      `json:"gone,omitempty" redis:"gone"`                  // two 410 responses at least a day apart
	GoneSince     time.Time `json:"gone_since,omitzero" redis:"gone_since"`       // first 410 since the last success
	FailingSince  time.Time `json:"failing_since,omitzero" redis:"failing_since"` // first of the consecutive failures
	Validated     string    `json:"validated,omitempty" redis:"validated"`        // URL of ETag and LastModified
	LastFull      time.Time `json:"last_full,omitzero" redis:"last_full"`         // last request without validators
	FullRequested bool      `json:"full_requested,omitempty" redis:"full_asked"`  // parse the next document even if it is unchanged
	Generation    int       `json:"generation,omitempty" redis:"generation"`      // of the parser of the last document
	Format        string    `json:"format,omitempty" redis:"format"`              // of the last document: "RSS 2.0", "Atom 1.0" …
	Move          Move      `json:"move,omitzero"`
	Rate          Rate      `json:"rate,omitzero"`
	Hints         Hints     `json:"hints,omitzero"` // of the last document
	Identity      Identity  `json:"identity,omitempty" redis:"identity"`
	Findings      []Finding `json:"findings,omitempty" redis:"findings"` // of the last document
	Listed        int       `json:"listed,omitempty" redis:"listed"`     // entries that do not expire, because the source may still list them
}

// Hints are the polling hints of a document. They can only make polls less frequent.
type Hints struct {
	Interval  Duration `json:"interval,omitzero" redis:"hint_interval"` // the longest of ttl, sy:updatePeriod and similar; 0: none
	SkipHours uint32   `json:"skip_hours,omitempty" redis:"skip_hours"` // bit h: not in hour h, GMT
	SkipDays  uint8    `json:"skip_days,omitempty" redis:"skip_days"`   // bit d: not on time.Weekday d, GMT
}

// Move is a permanent redirect (301, 308) of a source, or the address that a person chose. Once a redirect is stable, its target is
// polled. The URL of the source does not change, so that its entries and its subscribers stay.
type Move struct {
	To      string    `json:"to,omitempty" redis:"moved_to"`          // target; empty: no redirect
	Since   time.Time `json:"since,omitzero" redis:"moved_since"`     // first seen
	Seen    int       `json:"seen,omitempty" redis:"moved_seen"`      // consecutive redirects; 0: to a target without an entry of the source
	Adopted time.Time `json:"adopted,omitzero" redis:"moved_adopted"` // since when the target is polled; zero: not yet
	Checked time.Time `json:"checked,omitzero" redis:"moved_checked"` // last poll of the URL itself
	Chosen  bool      `json:"chosen,omitempty" redis:"moved_chosen"`  // by a person: the URL itself is not polled again
}

// SourceEdit changes what a person can change about a source beside its settings. Nil fields change nothing.
type SourceEdit struct {
	Name    *string // Source.Label
	Address *string // to poll, canonical; Source.URL removes the address
}

// IsZero reports whether the edit changes nothing.
func (e SourceEdit) IsZero() bool { return e == SourceEdit{} }

// MaxSourceName bounds Source.Label, in bytes.
const MaxSourceName = 200

// Rate estimates how often a source posts: posts in a number of hours, both decaying with time.
type Rate struct {
	Posts float64 `json:"posts" redis:"rate_posts"`
	Hours float64 `json:"hours" redis:"rate_hours"`
}

// MaxPolls bounds the stored polls of a source.
const MaxPolls = 50

// Poll is one poll in the history of a source.
type Poll struct {
	Time       time.Time `json:"time,omitzero"` // end
	DurationMS int64     `json:"ms"`
	Status     int       `json:"status,omitempty"` // HTTP status; 0: no response
	New        int       `json:"new"`              // entries
	Modified   int       `json:"modified"`
	Class      string    `json:"class,omitempty"` // FailureClass; empty: success
}

// PollResult is the result of a poll.
type PollResult struct {
	State     PollState
	Poll      Poll
	PauseHost time.Time // until when the host wants no requests; zero: none
	Cleared   string    // why the secrets of the source are removed; empty: they stay
}

// State returns the state.
func (s *Source) State() SourceState {
	switch {
	case s.Paused:
		return SourcePaused
	case s.Poll.Gone:
		return SourceGone
	case s.Poll.ErrorClass != "":
		return SourceFailing
	}
	return SourceActive
}

// Claim is the lease to poll one source. Writes of the poll fail with ErrLeaseLost after its end.
type Claim struct {
	Source Source
	Token  string
	Due    time.Time // due time of the poll
	Epoch  uint64    // failover epoch of the store when the source was claimed
}

// Document is a parsed feed document.
type Document struct {
	About   About
	Entries []Entry // oldest first, the order in which they get ids
	Partial bool    // pushed: it may omit entries and metadata
	// Repaired means that the markup was damaged or entries exceed a limit. The entries are valid, but others may be missing, so
	// that no entry can be assumed to have left the source.
	Repaired bool
	// Reread means that an older version of the parser read the source before. Entries that have not changed get the fields that
	// only this version knows, silently.
	Reread bool
	// SameBytes means, for a document with Reread, that the last stored document of the source had the same bytes. Entries that
	// differ were not edited: this version reads them in another way.
	SameBytes bool
	Received  time.Time // zero: now. It does not overwrite later documents
	Format    string    // "RSS 2.0", "Atom 1.0" …; empty: unknown
}

// Saved counts the results of saving a document.
type Saved struct {
	Created, Modified, Unchanged int
	Filtered                     int         // excluded by the filters of the source
	Dead                         int         // expired and not created again
	Unsignalled                  Unsignalled // among those created and modified
	FeedModified                 bool        // a signalled field of About changed, or there are unsignalled entries
}

// Unsignalled counts entries that were stored without signals, because so many changed at once that the source itself must
// have changed. One feed_modified signal has the count.
type Unsignalled struct {
	Created  int `json:"created,omitempty" redis:"held_created"`
	Modified int `json:"modified,omitempty" redis:"held_modified"`
}

// IsZero reports whether the count is zero.
func (h Unsignalled) IsZero() bool { return h == Unsignalled{} }

// Changed reports whether saving changed anything.
func (s Saved) Changed() bool { return s.Created+s.Modified > 0 || s.FeedModified }

// Host returns the host that a request to the URL counts for in rate limits. It includes the port in private networks and on
// this machine, where different servers can share a name or an address.
func Host(feedURL string) string {
	u, err := url.Parse(feedURL)
	if err != nil {
		return ""
	}
	name := strings.ToLower(u.Hostname())
	ip, err := netip.ParseAddr(name)
	private := err != nil && !strings.Contains(name, ".") ||
		err == nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast())
	if port := u.Port(); private && port != "" {
		return net.JoinHostPort(name, port)
	}
	return name
}

// SourceID returns the short id of a feed URL: 12 hex digits of its SHA-256.
func SourceID(feedURL string) string {
	sum := sha256.Sum256([]byte(feedURL))
	return hex.EncodeToString(sum[:6])
}

// maxURL bounds a URL, which is part of several keys, in bytes.
const maxURL = 2048

// CanonicalURL returns the canonical form of a feed URL: lower-case scheme and host, no default port, no fragment, "/" for an
// empty path (RFC 3986 section 6.2). ErrInvalid: it is not an absolute http or https URL, or contains credentials.
func CanonicalURL(raw string) (string, error) {
	raw = strings.TrimSpace(raw)
	if len(raw) > maxURL {
		return "", fmt.Errorf("%w: feed URL is longer than %d bytes", ErrInvalid, maxURL)
	}
	u, err := url.Parse(raw)
	var unreadable *url.Error
	if errors.As(err, &unreadable) {
		err = unreadable.Err // omit the URL, which may contain a password
	}
	if err != nil {
		return "", fmt.Errorf("%w: feed URL cannot be parsed: %w", ErrInvalid, err)
	}
	u.Scheme = strings.ToLower(u.Scheme)
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("%w: feed URL %q must start with http:// or https://", ErrInvalid, raw)
	case u.Hostname() == "":
		return "", fmt.Errorf("%w: feed URL %q names no host", ErrInvalid, raw)
	case u.User != nil:
		return "", fmt.Errorf("%w: feed URL of host %s contains a user name or password; remove it", ErrInvalid, u.Host)
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if (u.Scheme == "http" && port == "80") || (u.Scheme == "https" && port == "443") {
		port = ""
	}
	switch {
	case port != "":
		u.Host = net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		u.Host = "[" + host + "]"
	default:
		u.Host = host
	}
	if u.Path == "" {
		u.Path = "/"
	}
	u.Fragment, u.RawFragment = "", ""
	return u.String(), nil
}

// Origin returns scheme, host and port of a feed URL in canonical form (RFC 6454 section 4), or "" if CanonicalURL refuses it.
func Origin(feedURL string) string {
	canonical, err := CanonicalURL(feedURL)
	if err != nil {
		return ""
	}
	scheme, rest, _ := strings.Cut(canonical, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}

// MayPassSecret reports whether a request with a secret may follow a redirect: within scheme, host and port, or from http to https at
// the same host and port.
func MayPassSecret(from, to string) bool {
	was, is := Origin(from), Origin(to)
	return was != "" && (is == was || is == strings.Replace(was, "http://", "https://", 1))
}

// Name returns the name that a person chose, the title of the feed, or the URL before the first document.
func (s *Source) Name() string { return cmp.Or(s.Label, s.About.Title, s.URL) }

// Limits of the settings of a source.
const (
	MinInterval    = time.Second         // of Interval, Request.MinInterval, Request.Timeout and Keep.For
	MaxInterval    = 30 * 24 * time.Hour // of Interval and Request.MinInterval
	MaxTimeout     = 10 * time.Minute    // of Request.Timeout
	MaxKeepFor     = 10 * 365 * 24 * time.Hour
	MaxKeepEntries = 1_000_000
)

// Thresholds at which pages ask a person to act.
const (
	AlarmAfter = 3               // failed polls in a row; a few failures often resolve themselves
	LateAfter  = 5 * time.Minute // that a poll is late
)
