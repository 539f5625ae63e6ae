package feed

import (
	"cmp"
	"strings"
)

// listFormats end the paths of the feeds of a list: "/lists/sport.rss".
var listFormats = []string{".rss", ".atom", ".json"}

// CutListFormat splits the path of a feed of a list: "sport.rss" into "sport" and "rss". The format is empty if the path is that of a page.
func CutListFormat(path string) (name, format string) {
	for _, suffix := range listFormats {
		if name, found := strings.CutSuffix(path, suffix); found && name != "" {
			return name, suffix[1:]
		}
	}
	return path, ""
}

// hasListFormat reports whether a name ends like the path of a feed.
func hasListFormat(name string) bool {
	_, format := CutListFormat(name)
	return format != ""
}

// ListTop is how many entries of a list its feeds have.
const ListTop = 30

// ListPage is a part of a list that anyone may see.
type ListPage struct {
	List    EntryList
	Entries []Entry
	Sources map[string]Source // of the entries, by URL
	Next    Cursor            // zero: the list ends
}

// SourceTitle returns what the source of an entry of the page is called.
func (p *ListPage) SourceTitle(feedURL string) string {
	source := p.Sources[feedURL]
	return cmp.Or(source.Label, strings.TrimSpace(source.About.Title), feedURL)
}

// ListDigest identifies what the feeds of a list show.
type ListDigest struct {
	List, FeedURL string // its name, and the URL of its RSS feed
	Digest        string // empty: unavailable for now
}
