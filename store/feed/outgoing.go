package feed

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Defaults of an outgoing feed.
const (
	ImportAfter   = 4              // impressions that make an article imported
	DefaultWindow = 24 * time.Hour // how long an article stays in the feed
	DefaultItems  = 100            // most articles in one document; Facebook took at most 100 a pull
)

// Outgoing is a configured feed, served at /feed/<Type>.
type Outgoing struct {
	Type        string        // name in paths and keys: "production", "development" ...
	Profile     string        // requirements of its consumer: "instant-articles"
	Title       string        // of the channel
	Link        string        // of the channel: the site
	Description string        //
	Language    string        // BCP 47
	TimeZone    string        // of dates in pages that name none: "Europe/Berlin"; empty: UTC
	Copyright   string        // empty: none
	Logo        string        // URL; empty: none
	DarkLogo    string        // URL of the logo for dark backgrounds; empty: none
	Category    string        // of a podcast: "News", or "Society & Culture > Documentary"; empty: none
	Explicit    bool          // a podcast with content for adults
	OwnerEmail  string        // of a podcast; empty: none
	TwinOf      string        // the feed whose development version this is; empty: none
	Sources     []string      // canonical URLs of its sources, besides the sources that name it; "*": all
	From        string        // "list:" and the name of a list whose first entries become articles; empty: none
	Top         int           // how many of that list
	Select      Filters       // select entries that become articles
	Publish     PublishMode   // empty: as set for the source
	Window      time.Duration // since publication
	RetireAfter int           // impressions; 0: articles stay until the window ends
	Counted     []string      // substrings of the User-Agent of the consumer; "*": every client
	MaxItems    int           //
	Username    string        // HTTP Basic; both empty: open
	Password    string        //

	Analytics, Advertisement string // HTML for each article, templates of profile.Snippet; empty: none
	SyndicationRights        bool   // the publisher may pass on the images
}

// IsConsumer reports whether a client is the consumer, whose complete fetches are impressions: its User-Agent contains a string
// of Counted (case-insensitive), or it used the credentials of the feed.
func (o *Outgoing) IsConsumer(userAgent string, authenticated bool) bool {
	if authenticated {
		return true
	}
	agent := strings.ToLower(userAgent)
	return slices.ContainsFunc(o.Counted, func(part string) bool {
		return part == "*" || strings.Contains(agent, strings.ToLower(part))
	})
}

// Accepts reports whether entries of a source can become articles for this feed. A twin accepts what its original accepts.
func (o *Outgoing) Accepts(s *Source) bool {
	return slices.Contains(s.Feeds, o.Type) || o.TwinOf != "" && slices.Contains(s.Feeds, o.TwinOf) ||
		slices.Contains(o.Sources, "*") || slices.Contains(o.Sources, s.URL)
}

// CheckType checks the name of an outgoing feed: 1 to 32 of a-z, 0-9, "-" and "_", starting with a letter. The error is
// ErrInvalid.
func CheckType(name string) error {
	ok := name != "" && len(name) <= 32 && name[0] >= 'a' && name[0] <= 'z'
	for _, c := range []byte(name) {
		ok = ok && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_')
	}
	if !ok {
		return fmt.Errorf("%w feed type %q: use 1 to 32 of a-z, 0-9, - and _, starting with a letter", ErrInvalid, name)
	}
	return nil
}

// OutgoingFeeds are the configured outgoing feeds, in the order of pages.
type OutgoingFeeds []Outgoing

// Types returns the types of all feeds.
func (all OutgoingFeeds) Types() []string {
	types := make([]string, len(all))
	for i := range all {
		types[i] = all[i].Type
	}
	return types
}

// DefaultFeed receives the articles of sources that are added without outgoing feeds.
const DefaultFeed = "production"

// listPrefix begins Outgoing.From.
const listPrefix = "list:"

// List returns the name of the list whose first entries become articles; empty: there is none.
func (o *Outgoing) List() string { return strings.TrimPrefix(o.From, listPrefix) }

// CheckFrom returns nil if a text can be Outgoing.From. The error is ErrInvalid.
func CheckFrom(from string) error {
	name, found := strings.CutPrefix(from, listPrefix)
	if !found {
		return Invalid("from", "write list: and the name of a list, like list:sport")
	}
	if isFixed(name) {
		return nil
	}
	return CheckGroup(name)
}

// Follows reports whether articles for this feed can be of a source: it accepts the source, or takes the entries of a list, in which
// entries of any public source can be.
func (o *Outgoing) Follows(s *Source) bool { return o.Accepts(s) || o.From != "" && !s.Private() }

// Default returns DefaultFeed if it is configured, else nothing.
func (all OutgoingFeeds) Default() []string {
	if all.Find(DefaultFeed) == nil {
		return nil
	}
	return []string{DefaultFeed}
}

// Find returns the feed of a type, or nil.
func (all OutgoingFeeds) Find(typ string) *Outgoing {
	for i := range all {
		if all[i].Type == typ {
			return &all[i]
		}
	}
	return nil
}

// Unknown returns a message that a feed does not exist and which feeds do.
func (all OutgoingFeeds) Unknown(typ string) string {
	return fmt.Sprintf("there is no outgoing feed %.64q; there are: %s", typ, strings.Join(all.Types(), ", "))
}

// Items returns how many of the published articles the document of a feed has room for, blocked ones included.
func (o *Outgoing) Items(published int) int {
	if o.MaxItems > 0 {
		return min(published, o.MaxItems)
	}
	return published
}
