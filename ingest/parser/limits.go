package parser

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/store/feed"
)

// Bounds of an entry. What exceeds one is left out and becomes a finding. docs/reference/limits.md lists them.
const (
	maxText       = 2 << 20 // bytes of the content and of the summary
	maxTitle      = 8 << 10 // bytes, also of a feed
	maxLink       = 8 << 10 // bytes, also of an enclosure
	maxAuthors    = 50
	maxCategories = 100
	maxEnclosures = 50
	maxDescribed  = 64 << 10 // bytes of the description of a feed
	maxChapters   = 500
	maxStart      = 1e7       // seconds until a chapter begins
	maxCredits    = 10        // of a file
	maxWord       = 1024      // bytes of an author, a category, a media type or a language
	maxValue      = 4 << 10   // bytes of another scalar field, and of a text in a list
	maxFields     = 256 << 10 // bytes of all fields besides categories, and enclosures without details
)

// minItems is how many items of a document are read at least, to find the newest ones.
const minItems = 10_000

// outcomes says what happens to entries that exceed a limit.
var outcomes = map[feed.FindingClass]string{
	feed.FindingEntries:    "left out: the document has more than fetch.max_entries, or more than can be read",
	feed.FindingEntry:      "left out: the markup exceeds a bound",
	feed.FindingMarkup:     "without the tags and attributes that exceed a bound",
	feed.FindingText:       "with a cut text: it has more than 2 MiB",
	feed.FindingTitle:      "with a cut title: it has more than 8 KiB",
	feed.FindingLink:       "without a link: it has more than 8 KiB",
	feed.FindingAuthors:    "without some authors: there are more than 50, or a name has more than 1 KiB",
	feed.FindingCategories: "without some categories: there are more than 100, or one has more than 1 KiB",
	feed.FindingEnclosures: "without some enclosures: there are more than 50, or an address has more than 8 KiB",
	feed.FindingFeed: "the title, description, link or language of the feed is cut or left out: at most 8 KiB, 64 KiB, 8 KiB and 1 KiB " +
		"are used",
	feed.FindingField: "without a field or a part of it: see the bounds of fields",
}

// boundAbout cuts the description of a feed to its bounds, and reports whether it exceeded one.
func boundAbout(about *feed.About) (exceeded bool) {
	for text, limit := range map[*string]int{&about.Title: maxTitle, &about.Description: maxDescribed} {
		if len(*text) > limit {
			*text, exceeded = shortened(*text, limit)+"…", true
		}
	}
	for value, limit := range map[*string]int{&about.Link: maxLink, &about.Language: maxWord} {
		if len(*value) > limit {
			*value, exceeded = "", true
		}
	}
	return exceeded
}

// exceeds records that the post exceeds a limit.
func (p *post) exceeds(class feed.FindingClass) {
	if !slices.Contains(p.exceeded, class) {
		p.exceeded = append(p.exceeded, class)
	}
}

// findings returns the limits that posts exceed. left counts the entries that are not among the posts.
func findings(posts []*post, left map[feed.FindingClass]int) (all []feed.Finding) {
	for _, class := range feed.FindingClasses() {
		f, first := feed.Finding{Class: class, Count: left[class]}, ""
		for _, p := range posts {
			if slices.Contains(p.exceeded, class) {
				if f.Count++; first == "" {
					first = fmt.Sprintf(" (first: %q)", shortened(p.entry.GUID, 100))
				}
			}
		}
		if f.Count > 0 {
			entries := "entries"
			if f.Count == 1 {
				entries = "entry"
			}
			if f.Text = outcomes[class]; class != feed.FindingFeed {
				f.Text = fmt.Sprintf("%d %s %s%s", f.Count, entries, f.Text, first)
			}
			all = append(all, f)
		}
	}
	return all
}

// newest returns the n newest posts in the order of the document, and how many there are besides. Documents list the newest
// post first, so that the first ones are the newest if posts have no dates.
func newest(all []*post, n int, received time.Time) (kept []*post, others int) {
	if len(all) <= n {
		return all, 0
	}
	date := func(p *post) time.Time {
		published, updated := plausible(p.published, received), plausible(p.updated, received)
		if updated.After(published) {
			return updated
		}
		return published
	}
	byDate := slices.Clone(all)
	slices.SortStableFunc(byDate, func(a, b *post) int { return date(b).Compare(date(a)) })
	others = len(all) - n
	older := make(map[*post]bool, others)
	for _, p := range byDate[n:] {
		older[p] = true
	}
	return slices.DeleteFunc(all, func(p *post) bool { return older[p] }), others
}

// shortened returns the beginning of a text, at most limit bytes of it.
func shortened(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// wholeHTML returns HTML without the tag, comment or reference that its end splits.
func wholeHTML(text string) string {
	at := 0
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		kind, raw := z.Next(), string(z.Raw())
		switch {
		case kind == html.ErrorToken, kind == html.CommentToken && !strings.HasSuffix(raw, ">"):
			return text[:at]
		case kind == html.TextToken && at+len(raw) == len(text):
			const longest = 33 // reference
			if i := strings.LastIndexByte(raw, '&'); i >= 0 && len(raw)-i < longest && !strings.Contains(raw[i:], ";") {
				raw = raw[:i]
			}
		}
		at += len(raw)
	}
}
