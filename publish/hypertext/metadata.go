package hypertext

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// Metadata describes the article on a web page.
type Metadata struct {
	Title, Canonical    string
	Authors             []string
	Published, Modified time.Time
	Language            string
	Content             string // HTML
}

// ReadMetadata reads the meta elements, JSON-LD and other metadata of a page. Content is the articleBody of the page, or its
// longest article, or main, or body. If text is a fragment without head and body, Content is text.
func ReadMetadata(text string) Metadata {
	r := metadataReader{values: make(map[string][]string), spans: make(map[string]span)}
	r.read(text)
	m := Metadata{
		Title:     r.first("og:title", "headline", "twitter:title", "title"),
		Canonical: r.first("canonical", "og:url"),
		Authors:   r.values["author"],
		Language:  r.first("lang"),
		Published: parseTime(r.first("article:published_time", "datePublished", "date", "time")),
		Modified:  parseTime(r.first("article:modified_time", "dateModified")),
		Content:   text,
	}
	if !r.page {
		return m
	}
	for _, container := range []string{"articleBody", "article", "main", "body"} {
		if s, ok := r.spans[container]; ok {
			m.Content = text[s.from:s.to]
			break
		}
	}
	return m
}

// metadataReader collects the metadata of a page.
type metadataReader struct {
	values map[string][]string // by property or name of a meta element, or by canonical, title, lang and time
	spans  map[string]span     // the longest content of each container
	page   bool                // the text is a page, not a fragment
}

// span is a range of bytes in the text.
type span struct{ from, to int }

// first returns the first value that is not blank, in the order of names.
func (r *metadataReader) first(names ...string) string {
	for _, name := range names {
		for _, value := range r.values[name] {
			if value = strings.TrimSpace(value); value != "" {
				return value
			}
		}
	}
	return ""
}

func (r *metadataReader) add(name, value string) { r.values[name] = append(r.values[name], value) }

// read scans the text once. It works on byte offsets, so that Content is exactly what the page contains.
func (r *metadataReader) read(text string) {
	type opened struct {
		containers []string
		from       int
	}
	open := make(map[string][]opened) // by tag
	z := html.NewTokenizer(strings.NewReader(text))
	last, at := "", 0
	for {
		kind := z.Next()
		start := at
		at += len(z.Raw())
		switch kind {
		case html.ErrorToken:
			for _, body := range open["body"] { // </body> is optional
				r.addSpan("body", span{body.from, len(text)})
			}
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			attrs := make(map[string]string, len(token.Attr))
			for _, a := range token.Attr {
				attrs[a.Key] = a.Val
			}
			last = token.Data
			if last == "script" && attrs["type"] == "application/ld+json" {
				last = "ld+json"
			}
			r.element(token.Data, attrs)
			if containers := containersOf(token.Data, attrs); len(containers) > 0 || len(open[token.Data]) > 0 {
				open[token.Data] = append(open[token.Data], opened{containers, at})
			}
		case html.TextToken:
			switch last {
			case "title":
				r.add("title", string(z.Text()))
			case "ld+json":
				r.linkedData(z.Text())
			}
			last = ""
		case html.EndTagToken:
			name, _ := z.TagName()
			if stack := open[string(name)]; len(stack) > 0 {
				top := stack[len(stack)-1]
				open[string(name)] = stack[:len(stack)-1]
				for _, container := range top.containers {
					r.addSpan(container, span{top.from, start})
				}
			}
		}
	}
}

// containersOf returns the kinds of containers that an element is.
func containersOf(tag string, attrs map[string]string) []string {
	var containers []string
	if strings.Contains(attrs["itemprop"], "articleBody") {
		containers = append(containers, "articleBody")
	}
	if tag == "article" || tag == "main" || tag == "body" {
		containers = append(containers, tag)
	}
	return containers
}

// addSpan keeps the longest span of each container, because teasers of other articles are shorter.
func (r *metadataReader) addSpan(container string, s span) {
	if longest, ok := r.spans[container]; !ok || s.to-s.from > longest.to-longest.from {
		r.spans[container] = s
	}
}

// element reads the metadata in the attributes of an element.
func (r *metadataReader) element(tag string, attrs map[string]string) {
	switch tag {
	case "html":
		r.page = true
		r.add("lang", attrs["lang"])
	case "head", "body", "title":
		r.page = true
	case "time":
		r.add("time", attrs["datetime"])
	case "link":
		if strings.EqualFold(attrs["rel"], "canonical") {
			r.add("canonical", attrs["href"])
		}
	case "meta":
		name := cmp.Or(attrs["property"], attrs["name"], attrs["itemprop"])
		if name == "article:author" && !strings.Contains(attrs["content"], "://") { // it may be a URL instead of a name
			name = "author"
		}
		r.add(name, attrs["content"])
	}
}

// linkedData is a JSON-LD object about an article.
type linkedData struct {
	Headline      string          `json:"headline"`
	DatePublished string          `json:"datePublished"`
	DateModified  string          `json:"dateModified"`
	Author        json.RawMessage `json:"author"`
	Graph         []linkedData    `json:"@graph"`
}

// linkedData reads a JSON-LD block: an object, a list or a graph.
func (r *metadataReader) linkedData(text []byte) {
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
		if r.first("author") == "" {
			r.values["author"] = append(r.values["author"], authorNames(d.Author)...)
		}
	}
}

// maxAuthors is how many authors of a JSON-LD list are read.
const maxAuthors = 20

// authorNames returns the names in a JSON-LD author: a string, an object with a name, or a list of both.
func authorNames(author json.RawMessage) []string {
	list := []json.RawMessage{author}
	var several []json.RawMessage
	if json.Unmarshal(author, &several) == nil {
		list = several[:min(len(several), maxAuthors)]
	}
	var names []string
	for _, one := range list {
		var name string
		var person struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(one, &name) != nil && json.Unmarshal(one, &person) == nil {
			name = person.Name
		}
		if name != "" {
			names = append(names, name)
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
