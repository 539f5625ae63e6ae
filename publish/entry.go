package publish

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/feedwire/feedwire/publish/body"
	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	maxContent      = 8 << 20 // bytes of HTML of one article
	maxDerivedTitle = 100     // bytes of a title made from the text
)

// entry returns an article as this feed shows it. The error says why the article cannot be in the feed; it concerns no other
// article.
func (o *outlet) entry(a *feed.Article) (*feedxml.Entry, error) {
	e := &feedxml.Entry{
		Feed: o.channel(time.Time{}), Title: hypertext.Clean(a.Title), Link: o.link(a), Published: published(a, o.Type), Modified: modified(a),
	}
	e.IDs = feedxml.IDs{RSS: a.UUID, Atom: "urn:uuid:" + a.UUID, JSON: "urn:uuid:" + a.UUID}
	if o.profile.GUID == profile.GUIDPermalink {
		e.IDs = feedxml.IDs{RSS: e.Link, Atom: e.Link, JSON: e.Link}
	}
	authors, markup := a.Authors, a.Content
	var err error
	if o.profile.Body == profile.BodyInstant {
		var d instant.Document
		d, err = o.validDocument(a)
		e.Content, e.Title, e.Published, authors = d.Markup, d.Title, d.Published, d.Authors
	} else {
		e.Content, _, err = o.fragment(a)
		markup = e.Content
		e.Title = cmp.Or(hypertext.OneLine(e.Title), hypertext.PlainText(markup, maxDerivedTitle))
	}
	if err != nil {
		return nil, err
	}
	if e.Modified.Before(e.Published) {
		e.Modified = e.Published
	}
	o.addFields(e, a, authors)
	if len(e.Authors) == 0 && o.profile.Byline {
		e.Authors = []feed.Person{{Name: o.Title}}
	}
	e.Description = hypertext.PlainText(a.Summary, o.profile.DescriptionMaximum)
	if utf8.RuneCountInString(e.Description) < o.profile.DescriptionMinimum {
		e.Description = cmp.Or(hypertext.PlainText(markup, o.profile.DescriptionMaximum), e.Description)
	}
	if o.profile.Categories && len(e.Categories) == 0 {
		for _, term := range cleanTexts(a.Categories) {
			e.Categories = append(e.Categories, feed.Category{Term: term})
		}
	}
	o.attach(e, a)
	if err := o.addSnippets(e); err != nil {
		return nil, err
	}
	return e, o.check(e)
}

// addSnippets adds the HTML of the feed that the profile has elements for.
func (o *outlet) addSnippets(e *feedxml.Entry) (err error) {
	if o.profile.Analytics != "" {
		e.Analytics, err = profile.Snippet(o.Analytics, e.Title, e.Link)
	}
	if o.profile.Advertisement != "" && err == nil {
		e.Advertisement, err = profile.Snippet(o.Advertisement, e.Title, e.Link)
	}
	return err
}

// check returns why the consumer would refuse the entry. It sets the short title.
func (o *outlet) check(e *feedxml.Entry) error {
	p := &o.profile
	title := utf8.RuneCountInString(e.Title)
	switch {
	case !absolute(e.Link):
		return fmt.Errorf("%w: its canonical URL %.100q is not an absolute http or https URL", feed.ErrInvalid, e.Link)
	case e.Published.IsZero():
		return fmt.Errorf("%w: it has no publication date", feed.ErrInvalid)
	case o.tooOld(e.Published):
		return o.ageError(e.Published)
	case title == 0:
		return fmt.Errorf("%w: it has no title, and no text to make one of", feed.ErrInvalid)
	case title < p.TitleMinimum:
		return fmt.Errorf("%w: its title has %d characters, %s requires at least %d", feed.ErrInvalid, title, p.Name, p.TitleMinimum)
	case p.TitleMaximum > 0 && title > p.TitleMaximum && p.ShortTitle == "":
		return fmt.Errorf("%w: its title has %d characters, %s accepts at most %d", feed.ErrInvalid, title, p.Name, p.TitleMaximum)
	case slices.Contains(p.Require, profile.RequireBody) && hypertext.PlainText(e.Content, 10) == "":
		return fmt.Errorf("%w: it has no text, and %s accepts full text only", feed.ErrInvalid, p.Name)
	case slices.Contains(p.Require, profile.RequireImage) && e.Image.URL == "":
		return fmt.Errorf("%w: it has no image that is large enough, and %s accepts no article without one", feed.ErrInvalid, p.Name)
	case slices.Contains(p.Require, profile.RequireFile) && len(e.Files) == 0:
		return fmt.Errorf("%w: it has no audio or video of a type that %s plays", feed.ErrInvalid, p.Name)
	}
	if p.TitleMaximum > 0 && title > p.TitleMaximum {
		e.ShortTitle = shorten(e.Title, cmp.Or(p.ShortTitleMaximum, p.TitleMaximum))
	}
	return nil
}

// tooOld reports whether the consumer refuses an article because of its age.
func (o *outlet) tooOld(published time.Time) bool {
	return o.profile.MaximumAge > 0 && o.opts.Now().Sub(published) > o.profile.MaximumAge
}

func (o *outlet) ageError(published time.Time) error {
	return fmt.Errorf("%w: it was published on %s, and %s accepts articles of the last %.0f hours only",
		feed.ErrInvalid, published.UTC().Format("2 January 2006 at 15:04 UTC"), o.profile.Name, o.profile.MaximumAge.Hours())
}

// fragment returns the content as clean HTML.
func (o *outlet) fragment(a *feed.Article) (string, []hypertext.Warning, error) {
	if len(a.Content) > maxContent {
		return "", nil, fmt.Errorf("%w: its content has %d bytes, at most %d are allowed", feed.ErrInvalid, len(a.Content), maxContent)
	}
	cleaned, warnings := o.cleaner.Clean(a.Content, a.Canonical)
	return cleaned, warnings, nil
}

// addFields adds the authors, and the fields of the article's entry that the consumer knows.
func (o *outlet) addFields(e *feedxml.Entry, a *feed.Article, authors []string) {
	p := &o.profile
	entry := feed.Entry{Authors: cleanTexts(authors), Extra: make(map[string]string)}
	for name, value := range a.Fields {
		if p.Knows(name) && (name != feed.FieldCategories || p.Categories) {
			entry.Set(name, value)
		}
	}
	if e.AllFiles = p.Enclosures && p.Knows(feed.FieldEnclosures); e.AllFiles {
		entry.Set(feed.FieldEnclosures, feed.EncodeList(a.Enclosures))
	}
	known := feedxml.FromEntry(&entry, "")
	body.Fields(known, "") // ingest made the addresses absolute
	if known.Fields[feed.FieldLanguage] == o.Language {
		delete(known.Fields, feed.FieldLanguage)
	}
	slices.SortStableFunc(known.Files, func(a, b feed.Enclosure) int { // RSS has one enclosure
		return cmp.Compare(rank(a), rank(b))
	})
	e.Authors, e.Contributors, e.Persons, e.Categories = known.Authors, known.Contributors, known.Persons, known.Categories
	e.Files, e.Media, e.Chapters, e.Transcripts, e.Fields = known.Files, known.Media, known.Chapters, known.Transcripts, known.Fields
}

// rank orders files: what one hears and sees comes first.
func rank(file feed.Enclosure) int {
	if file.Is("audio") || file.Is("video") {
		return 0
	}
	return 1
}

// attach adds the image and the files that the profile has elements for.
func (o *outlet) attach(e *feedxml.Entry, a *feed.Article) {
	p := &o.profile
	if len(p.Images) > 0 || slices.Contains(p.Require, profile.RequireImage) {
		e.Image = imageOf(a, e.Content, p.ImageMinimum)
	}
	if p.ImageText != "" && e.Image.URL != "" {
		e.ImageText = imageText(e.Image, e.Content)
	}
	if e.Image.URL != "" && p.Knows(feed.FieldImage) {
		e.Fields[feed.FieldImage] = e.Image.URL
	}
	for _, file := range a.Enclosures {
		file.URL = hypertext.Clean(file.URL)
		file.Type = file.MediaType()
		plays := rank(file) == 0 && (len(p.FileTypes) == 0 || slices.Contains(p.FileTypes, file.Type))
		if p.Enclosures && !e.AllFiles && absolute(file.URL) && plays {
			e.Files = append(e.Files, file)
		}
	}
}

// cleanTexts returns the texts without characters that XML does not allow. It omits empty ones.
func cleanTexts(texts []string) (clean []string) {
	for _, text := range texts {
		if text = strings.TrimSpace(hypertext.Clean(text)); text != "" {
			clean = append(clean, text)
		}
	}
	return clean
}

// shorten cuts text to at most limit characters including "…", if possible at the end of a word.
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

// link returns the URL of an article in this feed. It identifies an instant article, so there it has no fragment.
func (o *outlet) link(a *feed.Article) string {
	link := hypertext.Clean(a.Canonical)
	if o.profile.StripTracking {
		link = withoutTracking(link)
	}
	if o.profile.Body == profile.BodyInstant {
		link, _, _ = strings.Cut(link, "#")
	}
	return link
}

// withoutTracking removes the query parameters that say where a reader comes from.
func withoutTracking(link string) string {
	head, fragment, hasFragment := strings.Cut(link, "#")
	path, query, hasQuery := strings.Cut(head, "?")
	if !hasQuery {
		return link
	}
	kept := slices.DeleteFunc(strings.Split(query, "&"), func(p string) bool {
		return feed.IsTracking(strings.ToLower(p) + "=") // "=": also a parameter without a value
	})
	if len(kept) > 0 {
		path += "?" + strings.Join(kept, "&")
	}
	if hasFragment {
		path += "#" + fragment
	}
	return path
}
