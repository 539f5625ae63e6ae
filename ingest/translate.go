package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mmcdole/gofeed"

	"github.com/feedwire/feedwire/store/feed"
)

// maxGUID is the longest guid that is kept as it is, in bytes; longer ones are replaced by their hash, because a guid
// is a key of the store.
const maxGUID = 512

// Dates before firstYear come from clocks that were never set; those more than clockSkew ahead would keep an entry at
// the top.
const (
	firstYear = 1990
	clockSkew = time.Hour
)

// translate turns a parsed feed into a document of ours. Entries that lack what is required are left out and counted.
func translate(parsed *gofeed.Feed, shape outline, base *url.URL, feedURL string, received time.Time) (feed.Document, int) {
	doc := feed.Document{About: feed.About{
		Title:       plainText(parsed.Title),
		Description: plainText(parsed.Description),
		Link:        resolve(base, parsed.Link),
		Language:    cleanLine(parsed.Language),
	}}
	read := newReader(parsed)
	seen := make(map[string]feed.Entry, len(parsed.Items))
	rejected := 0
	for i, item := range parsed.Items {
		e := entry(read(i, item, shape.at(i, base)), received)
		e.FeedURL = feedURL
		if !distinguish(&e, seen) {
			continue
		}
		if e.Validate() != nil {
			rejected++
			continue
		}
		doc.Entries = append(doc.Entries, e)
	}
	// Documents are written newest first. Ids are given in the order of the entries, so the oldest comes first, and of
	// entries of the same second the one further down.
	slices.Reverse(doc.Entries)
	slices.SortStableFunc(doc.Entries, func(a, b feed.Entry) int { return a.Timestamp.Compare(b.Timestamp) })
	return doc, rejected
}

// entry applies the rules that hold for every format.
func entry(p post, received time.Time) feed.Entry {
	e := feed.Entry{
		Title:     plainText(p.title),
		Link:      resolve(p.base, p.link),
		Content:   strings.TrimSpace(resolveContent(p.contentBase, clean(p.content))),
		Authors:   names(p.authors),
		Published: plausible(p.published, received),
		Updated:   plausible(p.updated, received),
	}
	if summary := strings.TrimSpace(resolveContent(p.contentBase, clean(p.summary))); summary != e.Content {
		e.Summary = summary
	}
	if e.Content == "" {
		e.Content, e.Summary = e.Summary, ""
	}
	e.GUID = identity(p.guid, &e)
	e.Timestamp = timestamp(&e, received)
	return e
}

// identity is what names an entry within its feed: the guid, else the link, else what it says.
func identity(guid string, e *feed.Entry) string {
	guid = cleanLine(guid)
	switch {
	case guid == "" && e.Link != "":
		guid = e.Link
	case guid == "" && e.Title+e.Content != "":
		return hashed(e.Title + "\n" + e.Content)
	case guid == "" && !e.Published.IsZero(): // an empty item is one, too
		return hashed(feed.FormatTime(e.Published))
	}
	if len(guid) > maxGUID {
		return hashed(guid)
	}
	return guid
}

func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// distinguish gives an entry whose guid stood in the document before one of its own, made of guid and link, and notes
// it in seen. It reports false for an entry that is there already.
func distinguish(e *feed.Entry, seen map[string]feed.Entry) bool {
	first, repeated := seen[e.GUID]
	if repeated {
		if first.Digest() == e.Digest() {
			return false
		}
		e.GUID = identity(e.GUID+"|"+e.Link, e)
		if _, again := seen[e.GUID]; again {
			return false
		}
	}
	seen[e.GUID] = *e
	return true
}

// timestamp is when the entry was last changed, never later than it came: that of a future date would change with each
// poll. Entries without a date are as old as the document; the store keeps the timestamp of what it knows unchanged.
func timestamp(e *feed.Entry, received time.Time) time.Time {
	t := e.Published
	if !e.Updated.IsZero() && !e.Updated.Before(e.Published) {
		t = e.Updated
	}
	if t.IsZero() || t.After(received) {
		t = received
	}
	return t.UTC().Truncate(time.Second)
}

// plausible drops a date that cannot be.
func plausible(t, received time.Time) time.Time {
	if t.UTC().Year() < firstYear || t.After(received.Add(clockSkew)) {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Second)
}

// maxAuthors is how many authors of an entry are kept: more than anybody reads, and a bound on what a document can ask
// of us.
const maxAuthors = 50

// names trims, and drops what is empty or repeated.
func names(authors []string) []string {
	var out []string
	for _, name := range authors[:min(len(authors), 4*maxAuthors)] {
		if name = plainText(name); name != "" && !slices.Contains(out, name) && len(out) < maxAuthors {
			out = append(out, name)
		}
	}
	return out
}
