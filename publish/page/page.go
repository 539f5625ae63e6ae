// Package page reads the article on a web page.
package page

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// Article is the article on a web page.
type Article struct {
	Title, Canonical    string
	Authors             []string
	Published, Modified time.Time
	Language            string
	Content             string // HTML
}

// Read reads the article from meta elements, JSON-LD and other metadata of a page. Content is the articleBody of the page, or its
// longest article, or main, or body. It is text if text is an Instant Articles document, or a fragment without head and body, or
// hypertext.Parse refuses it.
func Read(text string) Article {
	page, err := hypertext.Parse(text)
	if err != nil {
		return Article{Content: text}
	}
	r := reader{values: make(map[string]string), contents: make(map[string]string)}
	for n := range page.Root.Descendants() {
		r.element(n)
	}
	v := r.values
	a := Article{
		Title:     cmp.Or(v["og:title"], v["headline"], v["twitter:title"], v["title"]),
		Canonical: cmp.Or(v["canonical"], v["og:url"]),
		Authors:   r.authors,
		Language:  v["lang"],
		Published: parseTime(cmp.Or(v["article:published_time"], v["datePublished"], v["date"], v["time"])),
		Modified:  parseTime(cmp.Or(v["article:modified_time"], v["dateModified"])),
		Content:   text,
	}
	switch {
	case v["op:markup_version"] != "": // an Instant Articles document
		a.Title = cmp.Or(v["header h1"], a.Title)
	case r.isPage:
		a.Content = cmp.Or(r.contents["articleBody"], r.contents["article"], r.contents["main"], r.contents["body"], text)
	}
	return a
}

// reader collects the metadata of a page.
type reader struct {
	values   map[string]string // the first by property or name of a meta element, or by canonical, title, header h1, lang and time
	authors  []string
	contents map[string]string // the longest content of each container
	isPage   bool              // the text is a page, not a fragment
}

// add stores the first value of each name that is not blank.
func (r *reader) add(name, value string) {
	r.values[name] = cmp.Or(r.values[name], strings.TrimSpace(value))
}

// element reads the metadata of an element, and its content if it is a container.
func (r *reader) element(n *html.Node) {
	switch n.DataAtom {
	case atom.Html:
		r.isPage = true
		r.add("lang", hypertext.Attr(n, "lang"))
	case atom.Head:
		r.isPage = true
	case atom.Title:
		r.isPage = true
		if n.FirstChild != nil {
			r.add("title", n.FirstChild.Data)
		}
	case atom.H1:
		if n.Parent.DataAtom == atom.Header {
			r.add("header h1", content(n))
		}
	case atom.Time:
		r.add("time", hypertext.Attr(n, "datetime"))
	case atom.Link:
		if strings.EqualFold(hypertext.Attr(n, "rel"), "canonical") {
			r.add("canonical", hypertext.Attr(n, "href"))
		}
	case atom.Meta:
		name, content := cmp.Or(hypertext.Attr(n, "property"), hypertext.Attr(n, "name"), hypertext.Attr(n, "itemprop")), hypertext.Attr(n, "content")
		named := name == "author" || name == "article:author" && !strings.Contains(content, "://") // it may be a URL instead of a name
		if named && content != "" {
			r.authors = append(r.authors, content)
		}
		r.add(name, content)
	case atom.Script:
		if hypertext.Attr(n, "type") == "application/ld+json" && n.FirstChild != nil {
			r.linkedData([]byte(n.FirstChild.Data))
		}
	case atom.Article, atom.Main, atom.Body:
		r.isPage = r.isPage || n.DataAtom == atom.Body
		r.addContent(n.Data, n)
	}
	if strings.Contains(hypertext.Attr(n, "itemprop"), "articleBody") {
		r.addContent("articleBody", n)
	}
}

// content returns the text of n and its descendants on one line.
func content(n *html.Node) string {
	var text strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			text.WriteString(c.Data)
		}
	}
	return hypertext.OneLine(text.String())
}

// addContent stores the longest content of each container, because teasers of other articles are shorter.
func (r *reader) addContent(container string, n *html.Node) {
	var content strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		_ = html.Render(&content, c) // a builder takes everything
	}
	if content.Len() > len(r.contents[container]) {
		r.contents[container] = content.String()
	}
}

// linkedData is a JSON-LD object about an article.
type linkedData struct {
	Headline      string       `json:"headline"`
	DatePublished string       `json:"datePublished"`
	DateModified  string       `json:"dateModified"`
	Author        any          `json:"author"`
	Graph         []linkedData `json:"@graph"`
}

// linkedData reads a JSON-LD block: an object, a list or a graph.
func (r *reader) linkedData(text []byte) {
	var list []linkedData
	if json.Unmarshal(text, &list) != nil {
		var one linkedData
		if json.Unmarshal(text, &one) != nil {
			return
		}
		list = append(one.Graph, one)
	}
	for _, d := range list {
		r.add("headline", d.Headline)
		r.add("datePublished", d.DatePublished)
		r.add("dateModified", d.DateModified)
		if len(r.authors) == 0 {
			r.authors = authorNames(d.Author)
		}
	}
}

// maxAuthors is how many authors of a JSON-LD list are read.
const maxAuthors = 20

// authorNames returns the names in a JSON-LD author: a string, an object with a name, or a list of both.
func authorNames(author any) (names []string) {
	switch author := author.(type) {
	case string:
		if author != "" {
			names = []string{author}
		}
	case map[string]any:
		names = authorNames(author["name"])
	case []any:
		for _, one := range author[:min(len(author), maxAuthors)] {
			names = append(names, authorNames(one)...)
		}
	}
	return names
}

// parseTime parses a date in one of the formats of meta elements. It returns the zero time for anything else.
func parseTime(s string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}
