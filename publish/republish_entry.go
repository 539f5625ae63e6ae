package publish

import (
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/body"
	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/publish/profile"
	"github.com/feedwire/feedwire/store/feed"
)

const maxStart = 1000 // bytes of the text where a form wants a summary

var languageTag = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,8}$`)

// sourceProfile is how each source is republished: with all that RSS has for what its entries say.
func sourceProfile() profile.Profile {
	p := profile.New("source")
	p.Namespaces = append(p.Namespaces, "media=http://search.yahoo.com/mrss/")
	return p
}

// page is the address of a source here.
func (r *Republisher) page(id string) string { return r.public + "/sources/" + id }

// channelOf is what the feed of a source says of it.
func (r *Republisher) channelOf(source *feed.Source, of reissue, changed time.Time) *channel {
	about := &source.About
	c := &channel{
		self: r.url(of), link: cmp.Or(body.Address(about.Link, source.URL), r.page(of.id)),
		title: line(about.Title), description: line(instant.PlainText(about.Description, maxStart)),
		changed: cmp.Or(changed, dated(source.Added), time.Unix(0, 0).UTC()),
	}
	if !source.Private() {
		c.hub = r.opts.HubURL
	}
	if host, err := url.Parse(source.URL); err == nil {
		c.title = cmp.Or(c.title, host.Hostname())
	}
	c.title = cmp.Or(c.title, of.id)
	c.description = cmp.Or(c.description, c.title)
	if languageTag.MatchString(about.Language) {
		c.language, c.atomLanguage = about.Language, about.Language
	}
	return c
}

// entryOf dresses an entry. What its source does not say is empty.
func (r *Republisher) entryOf(e *feed.Entry, source *feed.Source, id string) *entry {
	link := body.Address(e.Link, source.URL)
	base := cmp.Or(link, body.Address(source.About.Link, source.URL), source.URL)
	out := &entry{
		link: link, title: line(e.Title), published: dated(e.Published),
		modified: cmp.Or(dated(e.Updated), dated(e.Published), dated(e.Timestamp), time.Unix(0, 0).UTC()),
		authors:  cleanTexts(e.Authors), categories: categoriesOf(e), allFiles: true,
	}
	for i, author := range out.authors {
		out.authors[i] = line(author)
	}
	guid := cmp.Or(line(e.GUID), e.ID)
	out.ids = ids{guid, cmp.Or(iri(guid), r.page(id)+"#"+url.QueryEscape(guid)), guid}
	out.content, _ = r.cleaner.Clean(e.Content, base)
	out.summary, _ = r.cleaner.Clean(e.Summary, base)
	out.description = instant.PlainText(out.summary, maxStart)
	out.headline = cmp.Or(out.title, instant.PlainText(cmp.Or(out.content, out.summary), derivedTitle), link, guid)
	for _, file := range e.Enclosures() {
		if file.URL = body.Address(file.URL, base); file.URL != "" {
			file.Type = file.MediaType()
			out.files = append(out.files, file)
		}
	}
	return out
}

// categoriesOf are those of the field "categories", which is a JSON list; none where it is damaged.
func categoriesOf(e *feed.Entry) (all []category) {
	var list []category
	_ = json.Unmarshal([]byte(e.Extra["categories"]), &list) // none, or damaged: then there is none to show
	for _, c := range list {
		if c = (category{line(c.Term), line(c.Scheme), line(c.Label)}); c.Term != "" {
			all = append(all, c)
		}
	}
	return all
}

// iri is s where that is an absolute IRI (RFC 3987); empty: it is none.
func iri(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || u.Opaque+u.Host+u.Path == "" || strings.ContainsAny(s, " \"<>\\^`{|}\t\n") {
		return ""
	}
	return s
}

// line is text on one line, of characters that XML can hold.
func line(s string) string { return strings.Join(strings.Fields(instant.Clean(s)), " ") }

// dated is a time that feeds can tell; zero: it is none.
func dated(t time.Time) time.Time {
	if t = t.UTC(); t.Year() < 1970 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}
