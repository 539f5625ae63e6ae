package publish

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	maxContent   = 8 << 20 // bytes of HTML of one article
	derivedTitle = 100     // bytes of a title made of the text
)

// entry dresses an article. The error says why it cannot be in this feed: that holds this article back, and no other.
func (o *outlet) entry(a *feed.Article) (*entry, error) {
	e := &entry{title: instant.Clean(a.Title), link: o.link(a), published: published(a, o.Type)}
	e.ids = ids{a.UUID, "urn:uuid:" + a.UUID, "urn:uuid:" + a.UUID}
	if o.profile.GUID == profile.GUIDPermalink {
		e.ids = ids{e.link, e.link, e.link}
	}
	e.modified = later(modified(a), e.published)
	e.authors = cleanTexts(a.Authors)
	if len(e.authors) == 0 && o.profile.Byline {
		e.authors = []string{o.Title}
	}
	markup := a.Content
	var err error
	if o.profile.Body == profile.BodyInstant {
		e.content, err = o.valid(a)
	} else {
		e.content, _, err = o.fragment(a)
		markup = e.content
		e.title = cmp.Or(strings.Join(strings.Fields(e.title), " "), instant.PlainText(markup, derivedTitle))
	}
	if err != nil {
		return nil, err
	}
	e.description = instant.PlainText(a.Summary, o.profile.DescriptionMaximum)
	if utf8.RuneCountInString(e.description) < o.profile.DescriptionMinimum {
		e.description = cmp.Or(instant.PlainText(markup, o.profile.DescriptionMaximum), e.description)
	}
	if o.profile.Categories {
		for _, term := range cleanTexts(a.Categories) {
			e.categories = append(e.categories, category{Term: term})
		}
	}
	o.attach(e, a)
	return e, o.refuse(e)
}

// refuse says why the consumer would not take the entry; nil: it would.
func (o *outlet) refuse(e *entry) error {
	p := &o.profile
	title := utf8.RuneCountInString(e.title)
	link, err := url.Parse(e.link)
	switch {
	case err != nil || link.Scheme != "http" && link.Scheme != "https" || link.Host == "":
		return fmt.Errorf("%w: its canonical URL %.100q is not an absolute http or https URL", feed.ErrInvalid, e.link)
	case e.published.IsZero():
		return fmt.Errorf("%w: it has no publication date", feed.ErrInvalid)
	case title == 0:
		return fmt.Errorf("%w: it has no title, and no text to make one of", feed.ErrInvalid)
	case title < p.TitleMinimum:
		return fmt.Errorf("%w: its title has %d characters, %s wants at least %d", feed.ErrInvalid, title, p.Name, p.TitleMinimum)
	case p.TitleMaximum > 0 && title > p.TitleMaximum && p.ShortTitle == "":
		return fmt.Errorf("%w: its title has %d characters, %s takes at most %d", feed.ErrInvalid, title, p.Name, p.TitleMaximum)
	case slices.Contains(p.Require, profile.RequireBody) && instant.PlainText(e.content, 10) == "":
		return fmt.Errorf("%w: it has no text, and %s takes full text only", feed.ErrInvalid, p.Name)
	case slices.Contains(p.Require, profile.RequireImage) && e.image.url == "":
		return fmt.Errorf("%w: it has no image that is large enough, and %s takes no article without", feed.ErrInvalid, p.Name)
	}
	if p.TitleMaximum > 0 && title > p.TitleMaximum {
		e.shortTitle = shorten(e.title, p.TitleMaximum)
	}
	return nil
}

// fragment is the content as cleaned HTML.
func (o *outlet) fragment(a *feed.Article) (string, []instant.Warning, error) {
	if len(a.Content) > maxContent {
		return "", nil, fmt.Errorf("%w: its content has %d bytes, at most %d are allowed", feed.ErrInvalid, len(a.Content), maxContent)
	}
	cleaned, warnings := o.cleaner.Clean(a.Content, a.Canonical)
	return cleaned, warnings, nil
}

// attach finds the files of an entry that the profile has a place for.
func (o *outlet) attach(e *entry, a *feed.Article) {
	p := &o.profile
	if len(p.Images) > 0 || slices.Contains(p.Require, profile.RequireImage) {
		e.image = pictureOf(a, e.content, p.ImageMinimum)
	}
	for _, file := range a.Enclosures {
		file.URL = instant.Clean(file.URL)
		if p.Enclosures && absolute(file.URL) && (file.Is("audio") || file.Is("video")) {
			file.Type = file.MediaType()
			e.files = append(e.files, file)
		}
	}
}

// cleanTexts are the texts that may stand in a document; those with nothing in them are left out.
func cleanTexts(texts []string) (clean []string) {
	for _, text := range texts {
		if text = strings.TrimSpace(instant.Clean(text)); text != "" {
			clean = append(clean, text)
		}
	}
	return clean
}

// shorten cuts text to at most limit characters, "…" included, at the end of a word where there is one.
func shorten(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	cut := string(runes[:limit-1])
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 {
		cut = cut[:space]
	}
	return cut + "…"
}

// link is the address of an article as this feed gives it. Instant articles are known by it alone, so theirs names the page
// and no place in it.
func (o *outlet) link(a *feed.Article) string {
	link := instant.Clean(a.Canonical)
	if o.profile.StripTracking {
		link = withoutTracking(link)
	}
	if o.profile.Body == profile.BodyInstant {
		link, _, _ = strings.Cut(link, "#")
	}
	return link
}

// withoutTracking takes the parameters out of a URL that tell where a reader comes from.
func withoutTracking(link string) string {
	head, fragment, hasFragment := strings.Cut(link, "#")
	path, query, hasQuery := strings.Cut(head, "?")
	if !hasQuery {
		return link
	}
	kept := slices.DeleteFunc(strings.Split(query, "&"), func(p string) bool {
		return feed.IsTracking(strings.ToLower(p) + "=") // one without a value is a name, too
	})
	if len(kept) > 0 {
		path += "?" + strings.Join(kept, "&")
	}
	if hasFragment {
		path += "#" + fragment
	}
	return path
}

// published is when the source published the article or, where it did not say, when it first went out here.
func published(a *feed.Article, typ string) time.Time {
	if a.Published.IsZero() {
		return a.Feeds[typ].Published
	}
	return a.Published
}

func modified(a *feed.Article) time.Time {
	if a.Modified.IsZero() {
		return a.Published
	}
	return a.Modified
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
