package ingest

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Dates before firstYear come from clocks that were never set; those more than clockSkew ahead would keep an entry at
// the top.
const (
	firstYear = 1990
	clockSkew = time.Hour
)

// translate turns what was read into a document of ours. Entries that lack what is required are left out and counted.
func translate(r reading, base *url.URL, feedURL string, raw Raw, repaired bool) Parsed {
	parsed := Parsed{
		Document: feed.Document{About: r.about, Partial: raw.Pushed, Repaired: repaired, Received: raw.Received, Format: r.format},
		Hints:    r.hints,
		Format:   r.format,
		Base:     baseOr(r.base, base).String(),
	}
	about := &parsed.Document.About
	about.Language = cleanLine(about.Language)
	all := make([]named, 0, len(r.posts))
	for i := range r.posts {
		p := &r.posts[i]
		n := named{entry: entry(p, about.Language, raw.Received), guid: cleanLine(p.guid), opaque: p.opaque, origin: Origin{
			Base: baseOr(p.base, base).String(), Language: firstOf(cleanLine(p.language), about.Language),
			Categories: p.categories, Enclosures: p.enclosures,
		}}
		n.entry.FeedURL = feedURL
		all = append(all, n)
	}
	all, parsed.Identity = identify(all, raw.Identity, !raw.Pushed && !repaired)
	// Documents are written newest first. Ids are given in the order of the entries, so the oldest comes first, and of
	// entries of the same second the one further down.
	slices.Reverse(all)
	slices.SortStableFunc(all, func(a, b named) int { return a.entry.Timestamp.Compare(b.entry.Timestamp) })
	for i := range all {
		if all[i].entry.Validate() != nil {
			parsed.Rejected++
			continue
		}
		parsed.Document.Entries = append(parsed.Document.Entries, all[i].entry)
		parsed.Origins = append(parsed.Origins, all[i].origin)
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
