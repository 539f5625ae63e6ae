package parser

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/ingest/mend"
	"github.com/feedwire/feedwire/store/feed"
)

// Dates before firstYear come from clocks that were never set. Dates more than clockSkew ahead would keep an entry at the
// top.
const (
	firstYear = 1990
	clockSkew = time.Hour
)

// translate makes a feed.Document of a reading. It omits and counts entries without the required fields.
func translate(r reading, base *url.URL, feedURL string, raw Raw) Parsed {
	repaired := r.repairs.IsStructural()
	parsed := Parsed{
		Document: feed.Document{About: r.about, Partial: raw.Pushed, Repaired: repaired, Received: raw.Received, Format: r.format},
		Hints:    r.hints,
		Base:     cmp.Or(r.base, base).String(),
		Encoding: r.encoding,
		Repairs:  r.repairs.Texts(),
	}
	about := &parsed.Document.About
	about.Language = mend.Line(about.Language)
	all := make([]named, 0, len(r.posts))
	for i := range r.posts {
		p := &r.posts[i]
		p.language = firstOf(mend.Line(p.language), p.fields["language"])
		n := named{
			entry: entry(p, about.Language, raw.Received), guid: mend.Line(p.guid), opaque: p.opaque, base: cmp.Or(p.base, base).String(),
		}
		n.entry.FeedURL = feedURL
		all = append(all, n)
	}
	all, parsed.Identity = identify(all, raw.Identity, !raw.Pushed && !repaired)
	// Documents list the newest entry first. The store assigns ids in the order of the entries, so the oldest must come first.
	slices.Reverse(all)
	slices.SortStableFunc(all, func(a, b named) int { return a.entry.Timestamp.Compare(b.entry.Timestamp) })
	for i := range all {
		if all[i].entry.Validate() != nil {
			parsed.Rejected++
			continue
		}
		parsed.Document.Entries = append(parsed.Document.Entries, all[i].entry)
		parsed.Bases = append(parsed.Bases, all[i].base)
	}
	return parsed
}

// entry makes an entry of a post by the rules that apply to every format.
func entry(p *post, feedLanguage string, received time.Time) feed.Entry {
	e := feed.Entry{
		Title:     plainText(p.title),
		Link:      mend.Resolve(p.base, p.link),
		Content:   contentOf(cmp.Or(p.contentBase, p.base), p.content),
		Authors:   names(p.authors),
		Published: plausible(p.published, received),
		Updated:   plausible(p.updated, received),
	}
	if p.plainTitle {
		e.Title = mend.Line(p.title)
	}
	if summary := contentOf(cmp.Or(p.sumBase, p.base), p.summary); summary != e.Content {
		e.Summary = summary
	}
	if e.Content == "" {
		e.Content, e.Summary = e.Summary, ""
	}
	for name, value := range p.fields {
		note(&e, name, value)
	}
	if p.language != feedLanguage && len(p.language) <= maxWord {
		note(&e, "language", p.language)
	} else {
		delete(e.Extra, "language")
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

// contentOf returns HTML in its stored form.
func contentOf(base *url.URL, html string) string {
	return strings.TrimSpace(resolveContent(base, mend.Plain(html)))
}

// note sets a field of Extra.
func note(e *feed.Entry, field, value string) {
	if value == "" {
		return
	}
	if e.Extra == nil {
		e.Extra = make(map[string]string)
	}
	e.Extra[field] = value
}

// listOf returns categories or enclosures as JSON without escaping < and &.
func listOf(list any) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(list); err != nil {
		return "" // lists of strings always encode
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// timestamp returns when the entry was last changed, but no later than received: a future date would change with each
// poll. An entry without a date gets received; the store keeps the timestamp of entries that have not changed.
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

// plausible returns the date, or the zero time if it is implausible.
func plausible(t, received time.Time) time.Time {
	if t.UTC().Year() < firstYear || t.After(received.Add(clockSkew)) {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Second)
}

// maxAuthors bounds the authors of an entry.
const maxAuthors = 50

// names returns the distinct names as plain text.
func names(authors []string) []string {
	var out []string
	for _, name := range authors[:min(len(authors), 4*maxAuthors)] {
		if name = plainText(name); name != "" && !slices.Contains(out, name) && len(out) < maxAuthors {
			out = append(out, name)
		}
	}
	return out
}
