package main

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// page is what a page of HTML tells of its article.
type page struct {
	Title, Canonical    string
	Authors             []string
	Published, Modified time.Time
	Language            string
	Content             string // HTML
}

// override lets what was given win over what the page says.
func (p *page) override(given *page) {
	p.Title = cmp.Or(given.Title, p.Title)
	p.Canonical = cmp.Or(given.Canonical, p.Canonical)
	p.Language = cmp.Or(given.Language, p.Language)
	if len(given.Authors) > 0 {
		p.Authors = given.Authors
	}
	if !given.Published.IsZero() {
		p.Published = given.Published
	}
}

// pageReader gathers what a page says in several places; the first thing said counts.
type pageReader struct {
	named map[string][]string // by the property or name of a meta element, or "canonical", "title", "lang"
	spans map[string]stretch  // the longest element of each kind that can hold the article
	whole bool                // it is a page, not a fragment of one
}

// stretch is where an element's content stands in the page.
type stretch struct{ from, to int }

// linkedData is the part of a JSON-LD object that tells of an article.
type linkedData struct {
	Headline      string          `json:"headline"`
	DatePublished string          `json:"datePublished"`
	DateModified  string          `json:"dateModified"`
	Author        json.RawMessage `json:"author"`
	Graph         []linkedData    `json:"@graph"`
}

// readPage reads a page, or a fragment of one, which is all content. The content of a page is its articleBody, else its
// longest article, else main, else body.
func readPage(text string) page {
	r := pageReader{named: make(map[string][]string), spans: make(map[string]stretch)}
	r.read(text)
	p := page{
		Title:     r.first("og:title", "headline", "twitter:title", "title"),
		Canonical: r.first("canonical", "og:url"),
		Authors:   r.named["author"],
		Language:  r.first("lang"),
		Published: timeOf(r.first("article:published_time", "datePublished", "date", "time")),
		Modified:  timeOf(r.first("article:modified_time", "dateModified")),
		Content:   text,
	}
	if !r.whole {
		return p
	}
	for _, kind := range []string{"articleBody", "article", "main", "body"} {
		if s, ok := r.spans[kind]; ok {
			p.Content = text[s.from:s.to]
			break
		}
	}
	return p
}

func (r *pageReader) first(names ...string) string {
	for _, name := range names {
		for _, value := range r.named[name] {
			if value = strings.TrimSpace(value); value != "" {
				return value
			}
		}
	}
	return ""
}

func (r *pageReader) say(name, value string) { r.named[name] = append(r.named[name], value) }

// read goes through the page once. Offsets are those of the source, so that the content is what the page wrote.
func (r *pageReader) read(text string) {
	type opened struct {
		kinds []string
		from  int
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
			for _, body := range open["body"] { // its end tag may be left out
				r.hold("body", stretch{body.from, len(text)})
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
			if kinds := kindsOf(token.Data, attrs); len(kinds) > 0 || len(open[token.Data]) > 0 {
				open[token.Data] = append(open[token.Data], opened{kinds, at})
			}
		case html.TextToken:
			switch last {
			case "title":
				r.say("title", string(z.Text()))
			case "ld+json":
				r.linkedData(z.Text())
			}
			last = ""
		case html.EndTagToken:
			name, _ := z.TagName()
			if stack := open[string(name)]; len(stack) > 0 {
				top := stack[len(stack)-1]
				open[string(name)] = stack[:len(stack)-1]
				for _, k := range top.kinds {
					r.hold(k, stretch{top.from, start})
				}
			}
		}
	}
}

// kindsOf names what can hold the article.
func kindsOf(tag string, attrs map[string]string) []string {
	var kinds []string
	if strings.Contains(attrs["itemprop"], "articleBody") {
		kinds = append(kinds, "articleBody")
	}
	if tag == "article" || tag == "main" || tag == "body" {
		kinds = append(kinds, tag)
	}
	return kinds
}

// hold keeps the longest of its kind: related articles are shorter.
func (r *pageReader) hold(kind string, s stretch) {
	if longest, ok := r.spans[kind]; !ok || s.to-s.from > longest.to-longest.from {
		r.spans[kind] = s
	}
}

// element notes what an element says of the article.
func (r *pageReader) element(tag string, attrs map[string]string) {
	switch tag {
	case "html":
		r.whole = true
		r.say("lang", attrs["lang"])
	case "head", "body", "title":
		r.whole = true
	case "time":
		r.say("time", attrs["datetime"])
	case "link":
		if strings.EqualFold(attrs["rel"], "canonical") {
			r.say("canonical", attrs["href"])
		}
	case "meta":
		name := cmp.Or(attrs["property"], attrs["name"], attrs["itemprop"])
		if name == "article:author" && !strings.Contains(attrs["content"], "://") { // else the page of one
			name = "author"
		}
		r.say(name, attrs["content"])
	}
}

// linkedData reads a JSON-LD block, which may hold one object, a list or a graph.
func (r *pageReader) linkedData(text []byte) {
	var list []linkedData
	if json.Unmarshal(text, &list) != nil {
		var one linkedData
		if json.Unmarshal(text, &one) != nil {
			return
		}
		list = append(one.Graph, one)
	}
	for _, d := range list {
		r.say("headline", d.Headline)
		r.say("datePublished", d.DatePublished)
		r.say("dateModified", d.DateModified)
		if r.first("author") == "" {
			for _, name := range namesIn(d.Author) {
				r.say("author", name)
			}
		}
	}
}

// namesIn are the names in an author of JSON-LD: a text, an object with a name, or a list of those.
func namesIn(author json.RawMessage) []string {
	var list []json.RawMessage
	if json.Unmarshal(author, &list) == nil {
		var names []string
		for _, one := range list[:min(len(list), 20)] {
			names = append(names, nameIn(one)...)
		}
		return names
	}
	return nameIn(author)
}

func nameIn(author json.RawMessage) []string {
	var name string
	var person struct {
		Name string `json:"name"`
	}
	switch {
	case json.Unmarshal(author, &name) == nil && name != "":
		return []string{name}
	case json.Unmarshal(author, &person) == nil && person.Name != "":
		return []string{person.Name}
	}
	return nil
}

// timeOf reads a date as pages write it in meta elements; zero: it cannot be read.
func timeOf(s string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}
