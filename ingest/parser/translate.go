package parser

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/ingest/mend"
	"github.com/feedwire/feedwire/store/feed"
)

// clockSkew is how far ahead a date may be. Dates further ahead would keep an entry at the top.
const clockSkew = time.Hour

// isUnset reports whether a date comes from a clock or a database that was never set: the zero of Unix or of a database, in
// any time zone.
func isUnset(t time.Time) bool {
	const day = 24 * time.Hour
	return t.Year() <= 1 || t.Sub(time.Unix(0, 0)).Abs() <= day || t.Sub(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)).Abs() <= day
}

// translate completes what a reading has of a document. It omits and counts entries without the required fields, and leaves
// out the oldest beyond maxEntries.
func translate(r reading, feedURL string, raw Raw, maxEntries int) Parsed {
	parsed, doc := &r.Parsed, &r.Document
	parsed.Repairs = r.repairs.Texts()
	doc.Partial, doc.Received = raw.Pushed, raw.Received
	older := 0
	r.posts, older = newest(r.posts, maxEntries, raw.Received)
	r.left[feed.FindingEntries] += older
	doc.Repaired = r.repairs.IsStructural() || r.left[feed.FindingEntries]+r.left[feed.FindingEntry] > 0
	doc.About.Language = mend.Line(doc.About.Language)
	if boundAbout(&doc.About) {
		r.left[feed.FindingFeed]++
	}
	doc.About.Language = feed.Language(doc.About.Language)
	for _, p := range r.posts {
		p.guid = mend.Line(p.guid)
		p.complete(doc.About.Language, raw.Received)
		p.entry.FeedURL = feedURL
	}
	var all []*post
	all, parsed.Identity = identify(r.posts, raw.Identity, !doc.Partial && !doc.Repaired)
	parsed.Findings = findings(all, r.left)
	// Documents list the newest entry first. The store assigns ids in the order of the entries, so the oldest must come first.
	slices.Reverse(all)
	slices.SortStableFunc(all, func(a, b *post) int { return a.entry.Timestamp.Compare(b.entry.Timestamp) })
	for _, p := range all {
		if p.entry.Validate() != nil {
			parsed.Rejected++
			continue
		}
		doc.Entries = append(doc.Entries, p.entry)
		parsed.Bases = append(parsed.Bases, p.base.String())
	}
	return *parsed
}

// complete sets the fields of the entry by the rules that apply to every format.
func (p *post) complete(feedLanguage string, received time.Time) {
	e := &p.entry
	e.Title, e.Link = plainText(p.title), mend.Resolve(p.base, p.link)
	if p.plainTitle {
		e.Title = mend.Line(p.title)
	}
	if len(e.Title) > maxTitle {
		e.Title = shortened(e.Title, maxTitle) + "…"
		p.exceeds(feed.FindingTitle)
	}
	if len(e.Link) > maxLink {
		e.Link = ""
		p.exceeds(feed.FindingLink)
	}
	e.Content = p.contentOf(cmp.Or(p.contentBase, p.base), p.content)
	if summary := p.contentOf(cmp.Or(p.sumBase, p.base), p.summary); summary != e.Content {
		e.Summary = summary
	}
	if e.Content == "" {
		e.Content, e.Summary = e.Summary, ""
	}
	p.setAuthors()
	language := firstOf(mend.Line(p.language), e.Extra["language"])
	if delete(e.Extra, "language"); len(language) > maxWord {
		p.exceeds(feed.FindingField)
	} else if language = feed.Language(language); language != feedLanguage {
		p.note("language", language)
	}
	if e.Extra["in_reply_to_id"] == e.Extra["in_reply_to"] {
		delete(e.Extra, "in_reply_to_id")
	}
	p.setLists()
	e.Published, e.Updated = plausible(p.published, received), plausible(p.updated, received)
	e.Timestamp = timestamp(e, received)
}

// contentOf returns HTML in its stored form.
func (p *post) contentOf(base *url.URL, html string) string {
	if len(html) > maxText {
		p.exceeds(feed.FindingText)
		html = shortened(html, maxText)
	}
	if slices.Contains(p.exceeded, feed.FindingText) {
		html = wholeHTML(html)
	}
	return strings.TrimSpace(resolveContent(base, mend.Plain(html)))
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
	if isUnset(t.UTC()) || t.After(received.Add(clockSkew)) {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Second)
}
