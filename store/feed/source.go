package feed

import (
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

// PublishMode says who decides that the articles of a source go out.
type PublishMode string

// The two modes. Manual is what an empty mode means.
const (
	PublishManual PublishMode = "manual" // an editor decides
	PublishAuto   PublishMode = "auto"   // each new entry is published at once
)

// SourceState is what a person wants to know first about a source.
type SourceState string

// The states of a source.
const (
	SourceActive  SourceState = "active"
	SourceFailing SourceState = "failing" // the last poll failed; it is tried again later
	SourcePaused  SourceState = "paused"  // by a person
	SourceGone    SourceState = "gone"    // the server said 410; it is not polled any more
)

// Source is a feed that is polled: who it is, what a person decided about it, what its last document said of itself
// and how polling it goes.
type Source struct {
	ID       string        // SourceID(URL)
	URL      string        // canonical, see CanonicalURL; the feed_url of seed 001
	Feeds    []string      // outgoing feeds that its entries become articles for; empty: none
	Publish  PublishMode   //
	Interval time.Duration // between polls; 0 takes the daemon's default
	Request  Request       // how the source is asked
	Paused   bool          //
	Added    time.Time     //
	About    About         // what the last document said
	Poll     PollState     //
	Push     Push          // how it goes with its hub
	Polls    []Poll        // the last ones, newest first, at most PollsKept; only where they were asked for

	Filters       Filters  // which entries are taken
	Categories    []string // by which people sort sources, see CleanCategories; they change nothing here
	IgnoreUpdates bool     // an entry stays as it was first stored; its changes are neither stored nor signalled
	Keep          Keep     // which entries housekeeping leaves

	Edition int    // counts changes of all that a person decided about it; 0: not known
	Rules   string // file of publisher rules, from the configuration; it is not stored

	Pace        []Rule   // what decides when it is polled; only where it was asked for
	Republished []string // URLs of its feeds at this daemon; only where they were asked for
}

// Keep says which entries of a source stay when old ones are expired. What the source still lists always does.
type Keep struct {
	Entries int           // the newest; 0 takes the daemon's default
	For     time.Duration // since their timestamp; 0 takes the daemon's default
}

// Identity is by what the entries of a source are told apart. A source that is seen to give several entries one name is
// moved to the next way and never back by itself, because each change of names is a chance to take one entry for two.
type Identity string

// The ways, from the best. The empty Identity is IdentityGUID.
const (
	IdentityGUID Identity = "guid" // by guid; an entry without one by its link
	IdentityLink Identity = "link" // by link
	IdentityText Identity = "text" // by link and title
)

// Address is where the source is fetched from: its URL, or where that has moved to for good.
func (s *Source) Address() string {
	if s.Poll.Move.Adopted.IsZero() {
		return s.URL
	}
	return s.Poll.Move.To
}

// Private reports whether the source is only given to us: it takes a password, or header fields that may hold a key.
func (s *Source) Private() bool {
	for name := range s.Request.Headers {
		switch strings.ToLower(name) {
		case "accept", "accept-language", "referer", "user-agent":
		default:
			return true
		}
	}
	return s.Request.Username != "" || s.Request.Password != ""
}

// About is what a feed says of itself; a change of it is a feed_modified signal (seed 001).
type About struct {
	Title, Description, Link, Language string
}

// PollState is how polling a source goes. It is written as a whole when a poll ends.
type PollState struct {
	ETag         string    // as the server sent it, byte for byte; empty: none
	LastModified string    // likewise
	BodySum      string    // SHA-256 of the last document whose entries are stored, hex
	LastPoll     time.Time // end of the last try
	LastOK       time.Time // end of the last try that succeeded
	LastDocument time.Time // when a document was last accepted, 304 not counted
	Entries      int       // entries in that document
	NextPoll     time.Time //
	NextReason   string    // why then: "interval", "retry after error 3", "Retry-After" ...
	Status       int       // HTTP status of the last try; 0: no answer
	Errors       int       // failures in a row
	ErrorClass   string    // a FailureClass; empty: the last poll succeeded
	ErrorText    string    // for a person: what failed; what to do about it WayOut tells
	Gone         bool      // 410, twice, at least a day apart
	GoneSince    time.Time // first 410 since the last success
	FailingSince time.Time // first failure in the row
	Validated    string    // the URL that ETag and LastModified belong to
	LastFull     time.Time // last request without validators
	FullAsked    bool      // a person wants the next document read anew, changed or not
	Generation   int       // of the parser that read the last document
	Format       string    // of the last document: "RSS 2.0", "Atom 1.0", "JSON Feed 1.1" ...
	Move         Move      //
	Rate         Rate      //
	Hints        Hints     // of the last document
	Identity     Identity  //
	Listed       int       // entries that the source may still list, at least Entries: so many are not expired
}

// Hints are what a document says of how often it wants to be read. They only ever make polls rarer.
type Hints struct {
	Interval  time.Duration // the longest of ttl, sy:updatePeriod and the like; 0: nothing is said
	SkipHours uint32        // bit h: not in hour h, GMT
	SkipDays  uint8         // bit d: not on time.Weekday d, GMT
}

// Move is what is known of a permanent redirect (301, 308) of a source. Once it has proven stable the source is fetched
// from its target; the source's URL stays its name.
type Move struct {
	To      string    // target; empty: the source has not moved
	Since   time.Time // first seen
	Seen    int       // fetches in a row that were sent there; 0: it shares no entry with the source, and is not followed
	Adopted time.Time // when the target took the place of the URL; zero: not proven yet
	Checked time.Time // when the URL itself was last asked again
}

// Rate estimates how often a source posts: posts seen within a time watched, both fading with age.
type Rate struct {
	Posts, Hours float64
}

// PollsKept is how many polls of a source are remembered.
const PollsKept = 50

// Poll is one line in the history of a source's polls.
type Poll struct {
	Time          time.Time     // of its end
	Took          time.Duration // in whole milliseconds
	Status        int           // HTTP status; 0: no answer
	New, Modified int           // entries
	Class         string        // of the failure; empty: success
}

// Polled is what a poll leaves behind.
type Polled struct {
	State     PollState
	Poll      Poll
	PauseHost time.Time // until when the host wants no request at all; zero: it said nothing
}

// State derives the state from what is stored.
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

// Claim is the right to poll one source until the lease ends. Each write of the poll shows the token; a write under a
// lost lease is refused with ErrLeaseLost.
type Claim struct {
	Source Source
	Token  string
	Due    time.Time // when the poll was due
	Turns  uint64    // of the servers of the store, before it was claimed; see store.FinishPoll
}

// Document is one parsed and translated feed document.
type Document struct {
	About   About
	Entries []Entry // in the order in which ids are given: oldest first
	Partial bool    // pushed: not all that the feed lists, and About is not to be taken from it
	// Repaired: where elements begin and end in it had to be guessed. Its entries are good, but one that is not among
	// them may still be in the source: nothing may be taken to have disappeared, and nothing expires by it.
	Repaired bool
	Received time.Time // when it came; zero: now. What came later is not overwritten by it
	Format   string    // "RSS 2.0", "Atom 1.0" …; empty: not told
}

// Saved counts what became of the entries of a document.
type Saved struct {
	Created, Modified, Unchanged int
	Filtered                     int  // kept out by the source's filters
	Dead                         int  // expired before and still listed by the source: not created again
	Held                         Held // of those created and modified
	FeedModified                 bool // About changed, or entries are held
}

// Held counts entries that were stored without signals of their own, because so many changed at once that the source must
// have changed, not they. One feed_modified tells of all of them.
type Held struct {
	Created  int `json:"created,omitempty"`
	Modified int `json:"modified,omitempty"`
}

// IsZero reports whether there are none.
func (h Held) IsZero() bool { return h == Held{} }

// Changed reports whether anything was written and signalled.
func (s Saved) Changed() bool { return s.Created+s.Modified > 0 || s.FeedModified }

// Host names the server whose patience a request to the URL uses up: the host name, and with its port where the servers
// of several people may share a name or an address: in private networks and on this machine.
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

// SourceID is the short name of a feed URL in paths and on the command line: 12 hex digits of its SHA-256.
func SourceID(feedURL string) string {
	sum := sha256.Sum256([]byte(feedURL))
	return hex.EncodeToString(sum[:6])
}

// maxURL bounds a feed URL, which is part of several keys, in bytes.
const maxURL = 2048

// CanonicalURL checks a feed URL and brings it to the one spelling under which it is stored: lower-case scheme and
// host, no default port, no fragment, "/" for an empty path (RFC 3986 section 6.2). Anything but an absolute http or
// https URL, and one that holds a user name or password, is refused with ErrInvalid.
func CanonicalURL(raw string) (string, error) {
	raw = strings.TrimSpace(raw)
	if len(raw) > maxURL {
		return "", fmt.Errorf("%w: feed URL is longer than %d bytes", ErrInvalid, maxURL)
	}
	u, err := url.Parse(raw)
	var unreadable *url.Error
	if errors.As(err, &unreadable) {
		err = unreadable.Err // the rest repeats the URL, which may hold a password
	}
	if err != nil {
		return "", fmt.Errorf("%w: feed URL cannot be read: %w", ErrInvalid, err)
	}
	u.Scheme = strings.ToLower(u.Scheme)
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("%w: feed URL %q must start with http:// or https://", ErrInvalid, raw)
	case u.Hostname() == "":
		return "", fmt.Errorf("%w: feed URL %q names no host", ErrInvalid, raw)
	case u.User != nil:
		return "", fmt.Errorf("%w: feed URL of host %s holds a user name or password; leave it out", ErrInvalid, u.Host)
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
