package feed

import (
	"fmt"
	"strings"
)

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
func (f *Outgoing) Items(published int) int {
	if f.MaxItems > 0 {
		return min(published, f.MaxItems)
	}
	return published
}
