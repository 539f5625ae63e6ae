package feed

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Defaults of an outgoing feed (seed 000).
const (
	ImportAfter   = 4              // impressions that make an article imported
	DefaultWindow = 24 * time.Hour // how long an article stays in the feed
	DefaultItems  = 100            // most articles in one document; Facebook took at most 100 a pull
)

// Outgoing is a feed that feedwire serves at /feed/<Type>. It comes from the configuration.
type Outgoing struct {
	Type        string        // name in paths and keys: "production", "development" ...
	Profile     string        // what its consumer wants: "instant-articles"
	Title       string        // of the channel
	Link        string        // of the channel: the site
	Description string        //
	Language    string        // BCP 47
	Copyright   string        // of all that is in it; empty: none
	Logo        string        // URL; empty: none
	DarkLogo    string        // URL of the logo for dark ground; empty: none
	TwinOf      string        // the feed whose development twin this is; empty: none
	Sources     []string      // canonical URLs of sources that feed it besides those that name it; "*": all
	Select      Filters       // which of their entries become articles for it
	Publish     PublishMode   // who decides that an article goes out; empty: the source says
	Window      time.Duration // since publication
	RetireAfter int           // impressions; 0: articles stay until they age out
	Counted     []string      // parts of the User-Agent that make a client the consumer; "*": every client
	MaxItems    int           //
	Username    string        // HTTP Basic; both empty: open
	Password    string        //
}

// Counts reports whether a client is the consumer, whose complete fetches are impressions: its User-Agent holds one of
// the Counted parts (case ignored), or it showed the feed's own credentials.
func (o *Outgoing) Counts(userAgent string, authenticated bool) bool {
	if authenticated {
		return true
	}
	agent := strings.ToLower(userAgent)
	return slices.ContainsFunc(o.Counted, func(part string) bool {
		return part == "*" || strings.Contains(agent, strings.ToLower(part))
	})
}

// Takes reports whether the entries of a source may become articles for this feed. A twin takes what its original takes.
func (o *Outgoing) Takes(s *Source) bool {
	return slices.Contains(s.Feeds, o.Type) || o.TwinOf != "" && slices.Contains(s.Feeds, o.TwinOf) ||
		slices.Contains(o.Sources, "*") || slices.Contains(o.Sources, s.URL)
}

// CheckType refuses names that could not stand in a path, a key and a label: one to 32 of a-z, 0-9, "-" and "_",
// starting with a letter.
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
