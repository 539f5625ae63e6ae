package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

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

// translate turns what was read into a document of ours. Entries that lack what is required are left out and counted.
func translate(r reading, base *url.URL, feedURL string, received time.Time) Parsed {
	parsed := Parsed{
		Document: feed.Document{About: r.about},
		Hints:    r.hints,
		Format:   r.format,
		Base:     baseOr(r.base, base).String(),
	}
	about := &parsed.Document.About
	about.Language = cleanLine(about.Language)
	seen := make(map[string]feed.Entry, len(r.posts))
	type placed struct {
		entry  feed.Entry
		origin Origin
	}
	var all []placed
	for _, p := range r.posts {
		e := entry(&p, about.Language, received)
		e.FeedURL = feedURL
		if !distinguish(&e, seen) {
			continue
		}
		if e.Validate() != nil {
			parsed.Rejected++
			continue
		}
		all = append(all, placed{e, Origin{
			Base: baseOr(p.base, base).String(), Language: firstOf(cleanLine(p.language), about.Language),
			Categories: p.categories, Enclosures: p.enclosures,
		}})
	}
	// Documents are written newest first. Ids are given in the order of the entries, so the oldest comes first, and of
	// entries of the same second the one further down.
	slices.Reverse(all)
	slices.SortStableFunc(all, func(a, b placed) int { return a.entry.Timestamp.Compare(b.entry.Timestamp) })
	for _, one := range all {
		parsed.Document.Entries = append(parsed.Document.Entries, one.entry)
		parsed.Origins = append(parsed.Origins, one.origin)
	}
	return parsed
}

// entry applies the rules that hold for every format.
func entry(p *post, feedLanguage string, received time.Time) feed.Entry {
	e := feed.Entry{
		Title:     plainText(p.title),
		Link:      resolve(p.base, p.link),
		Content:   contentOf(baseOr(p.contentBase, p.base), p.content),
		Authors:   names(p.authors),
		Published: plausible(p.published, received),
		Updated:   plausible(p.updated, received),
	}
	if p.plainTitle {
		e.Title = cleanLine(p.title)
	}
	if summary := contentOf(baseOr(p.sumBase, p.base), p.summary); summary != e.Content {
		e.Summary = summary
	}
	if e.Content == "" {
		e.Content, e.Summary = e.Summary, ""
	}
	if language := cleanLine(p.language); language != feedLanguage && len(language) <= maxWord {
		note(&e, "language", language)
	}
	if len(p.categories) > 0 {
		note(&e, "categories", listOf(p.categories))
	}
	if len(p.enclosures) > 0 {
		note(&e, "enclosures", listOf(p.enclosures))
	}
	e.GUID = identity(p.guid, &e)
	e.Timestamp = timestamp(&e, received)
	return e
}

// contentOf is HTML as it is stored.
func contentOf(base *url.URL, html string) string {
	return strings.TrimSpace(resolveContent(base, clean(html)))
}

// note keeps a field that seed 001 does not name.
func note(e *feed.Entry, field, value string) {
	if value == "" {
		return
	}
	if e.Extra == nil {
		e.Extra = make(map[string]string)
	}
	e.Extra[field] = value
}

// listOf writes categories and enclosures as JSON, with < and & as they are.
func listOf(list any) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(list); err != nil {
		return "" // lists of strings always encode
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// identity is what names an entry within its feed: the guid, else the link, else what it says.
func identity(guid string, e *feed.Entry) string {
	guid = cleanLine(guid)
	switch {
	case guid == "" && e.Link != "":
		guid = e.Link
	case guid == "" && e.Title+e.Content != "":
		return hashed(e.Title + "\n" + e.Content)
	case guid == "" && len(e.Authors)+len(e.Extra) > 0:
		return hashed(e.Digest())
	case guid == "" && (!e.Published.IsZero() || !e.Updated.IsZero()): // an empty item is one, too
		return hashed(feed.FormatTime(e.Published) + feed.FormatTime(e.Updated))
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
