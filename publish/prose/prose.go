// Package prose turns entries into what people read on pages: text without scripts whose images have addresses of this site, the
// beginning of the text, and a picture.
package prose

import (
	"cmp"
	"html/template"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/language"

	"github.com/feedwire/feedwire/publish/body"
	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	excerptBytes = 280
	smallImage   = 100 // pixels; smaller images are ornaments
)

// Prose is safe for concurrent use.
type Prose struct {
	cleaner  *body.Cleaner
	imageURL func(address string) string
}

// New returns a Prose. imageURL returns the address on this site of an image, or "" if it has none. Players become links, because they
// would load something before the reader plays them.
func New(imageURL func(address string) string) *Prose {
	return &Prose{imageURL: imageURL, cleaner: body.New(body.Policy{Tags: strings.Fields("a abbr address article aside b bdi bdo blockquote br caption cite code dd del details " +
		"dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark math ol p pre q rp rt ruby s samp section small span " +
		"strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr")})}
}

// Clean returns the content of an entry, or its summary, as HTML that is safe to show. Its images have the addresses of their source.
func (p *Prose) Clean(e *feed.Entry) string {
	clean, _ := p.cleaner.Clean(cmp.Or(e.Content, e.Summary), cmp.Or(e.Link, e.FeedURL))
	return clean
}

// Text returns the text of an entry. Its images have addresses of this site.
func (p *Prose) Text(e *feed.Entry) template.HTML {
	var out strings.Builder
	for z := html.NewTokenizer(strings.NewReader(p.Clean(e))); z.Next() != html.ErrorToken; {
		raw := string(z.Raw()) // Token changes what Raw returns
		switch t := z.Token(); {
		case t.DataAtom == atom.Img:
			raw = p.image(t)
		case t.DataAtom == atom.Pre && t.Type == html.StartTagToken:
			t.Attr = append(t.Attr, html.Attribute{Key: "tabindex", Val: "0"}) // wide code is scrolled by keys, too
			raw = t.String()
		}
		out.WriteString(raw)
	}
	return template.HTML(out.String()) //nolint:gosec // the cleaner removes scripts
}

// image returns an img with an address of this site; "" if it has none.
func (p *Prose) image(t html.Token) string {
	image := html.Token{Type: html.SelfClosingTagToken, Data: "img", Attr: []html.Attribute{{Key: "loading", Val: "lazy"}, {Key: "alt"}}}
	for _, a := range t.Attr {
		switch a.Key {
		case "src":
			a.Val = p.imageURL(a.Val)
			if a.Val == "" {
				return ""
			}
			image.Attr = append(image.Attr, a)
		case "alt":
			image.Attr[1] = a
		case "width", "height", "title":
			image.Attr = append(image.Attr, a)
		}
	}
	return image.String()
}

// Picture returns the address of the image of an entry in a list; "" if it has none.
func (p *Prose) Picture(e *feed.Entry) string {
	url := cmp.Or(e.Extra[feed.FieldImage], feed.MainImage(e.Enclosures(), e.Media()))
	if url == "" {
		for image := range hypertext.Images(e.Content) {
			if hypertext.LargeEnough(image, smallImage) {
				url = image.URL
				break
			}
		}
	}
	if url = body.Address(url, cmp.Or(e.Link, e.FeedURL)); url == "" {
		return ""
	}
	return p.imageURL(url)
}

// Excerpt returns the beginning of an entry as plain text; "" if it only repeats the title.
func Excerpt(e *feed.Entry) string {
	text := cmp.Or(hypertext.PlainText(e.Summary, excerptBytes), hypertext.PlainText(e.Content, excerptBytes))
	if strings.HasPrefix(hypertext.OneLine(e.Title), strings.TrimSuffix(text, "…")) {
		return ""
	}
	return text
}

// Direction returns the direction of texts in a language: "rtl", or "auto" if it follows from the text.
func Direction(lang string) string {
	script, _ := language.Make(lang).Script()
	if hypertext.HasWord("Adlm Arab Hebr Mand Nkoo Rohg Samr Syrc Thaa", script.String()) {
		return "rtl"
	}
	return "auto"
}
