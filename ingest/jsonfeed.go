package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"html"
	"io"
	"net/url"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// checkJSON refuses JSON that passes a bound. What is no JSON at all is found by whoever reads it.
func checkJSON(text []byte) error {
	depth, values := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',', ':':
			values++
		case '"':
			begin := i
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if err := checkToken(i - begin); err != nil {
				return err
			}
		}
		switch {
		case depth > maxJSONDepth:
			return failf(ClassLimits, "values are nested more than %d deep", maxJSONDepth)
		case values > maxElements:
			return failf(ClassLimits, "the document has more than %d values", maxElements)
		}
	}
	return nil
}

// jsonText is a string, or a number or truth value in its place; the empty string of anything else.
type jsonText string

func (t *jsonText) UnmarshalJSON(data []byte) error {
	switch data[0] {
	case '"':
		return json.Unmarshal(data, (*string)(t))
	case '{', '[', 'n':
		*t = ""
	default:
		*t = jsonText(data)
	}
	return nil
}

// jsonList is a list, or one value in its place. What is of a wrong type in it is left out.
type jsonList[T any] []T

func (l *jsonList[T]) UnmarshalJSON(data []byte) error {
	*l = nil
	raw := []json.RawMessage{data}
	if data[0] == '[' {
		if err := json.Unmarshal(data, &raw); err != nil {
			return err
		}
	}
	for _, data := range raw {
		var one T
		if !bytes.Equal(data, []byte("null")) && json.Unmarshal(data, &one) == nil {
			*l = append(*l, one)
		}
	}
	return nil
}

// jsonAuthor is an object with a name, or just the name.
type jsonAuthor struct{ name string }

func (a *jsonAuthor) UnmarshalJSON(data []byte) error {
	var object struct{ Name, URL jsonText }
	if data[0] != '{' {
		return json.Unmarshal(data, &a.name)
	}
	err := json.Unmarshal(data, &object)
	a.name = firstOf(string(object.Name), string(object.URL))
	return err
}

// jsonItem is an item of JSON Feed 1.0 and 1.1.
type jsonItem struct {
	ID, URL, Title, Summary, Language jsonText
	ExternalURL                       jsonText `json:"external_url"`
	ContentHTML                       jsonText `json:"content_html"`
	ContentText                       jsonText `json:"content_text"`
	DatePublished                     jsonText `json:"date_published"`
	DateModified                      jsonText `json:"date_modified"`
	Author, Authors                   jsonList[jsonAuthor]
	Tags                              jsonList[jsonText]
	Attachments                       jsonList[struct {
		URL, Title jsonText
		MimeType   jsonText `json:"mime_type"`
		Size       jsonText `json:"size_in_bytes"`
	}]
}

// jsonHead is what a feed says of itself.
type jsonHead struct {
	version, title, homePage, self, description, language jsonText
	authors                                               jsonList[jsonAuthor]
	hubs                                                  jsonList[struct{ URL jsonText }]
}

// readJSON reads a JSON Feed member by member, so that of a document that ends early the items before are known.
func readJSON(text []byte, base *url.URL, limits Limits) (r reading, mended repairs, err error) {
	var head jsonHead
	var items []jsonItem
	listed := false
	d := json.NewDecoder(bytes.NewReader(text))
	_, err = d.Token() // the brace
	for err == nil && d.More() {
		var key json.Token
		if key, err = d.Token(); err != nil {
			break
		}
		if key == "items" {
			listed = true
			items, mended, err = readItems(d, items, limits)
			continue
		}
		var value json.RawMessage
		if err = d.Decode(&value); err == nil {
			name, _ := key.(string)
			if head.set(name, value) != nil {
				mended |= mendedJSON
			}
		}
	}
	if err == nil {
		_, err = d.Token() // the closing brace
	}
	switch own := (*Error)(nil); {
	case errors.As(err, &own):
		return r, 0, own
	case err != nil && len(items) == 0:
		return r, 0, &Error{Class: ClassParse, Reason: "the document is no valid JSON", Err: err}
	case err != nil:
		mended |= mendedCut
	case !listed && !strings.Contains(string(head.version), "jsonfeed.org"):
		return r, 0, failf(ClassNotAFeed, "the document is JSON, but no JSON Feed")
	default:
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			return r, 0, failf(ClassParse, "the document is no valid JSON: something follows its end")
		}
	}
	return head.reading(items, base), mended, nil
}

// readItems reads the list of items up to where it is damaged. Items that are no objects are left out.
func readItems(d *json.Decoder, items []jsonItem, limits Limits) ([]jsonItem, repairs, error) {
	var mended repairs
	token, err := d.Token()
	if token == nil && err == nil {
		return items, mendedJSON, nil
	}
	if token != json.Delim('[') {
		return items, 0, failf(ClassParse, "the document is no valid JSON Feed: items is no list")
	}
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return items, mended, err
		}
		var item jsonItem
		if raw[0] != '{' || json.Unmarshal(raw, &item) != nil {
			mended |= mendedJSON
			continue
		}
		if items = append(items, item); len(items) > limits.Entries {
			return nil, 0, failf(ClassLimits, "the document has more than %d entries (fetch.max_entries)", limits.Entries)
		}
	}
	_, err = d.Token()
	return items, mended, err
}

// set reads a member of the feed.
func (h *jsonHead) set(name string, value json.RawMessage) error {
	var into any
	switch name {
	case "version":
		into = &h.version
	case "title":
		into = &h.title
	case "home_page_url":
		into = &h.homePage
	case "feed_url":
		into = &h.self
	case "description":
		into = &h.description
	case "language":
		into = &h.language
	case "author", "authors":
		into = &h.authors
	case "hubs":
		into = &h.hubs
	default:
		return nil
	}
	return json.Unmarshal(value, into)
}

// reading puts the feed in the words that all formats share. All texts but content_html are plain.
func (h *jsonHead) reading(items []jsonItem, base *url.URL) reading {
	version := string(h.version[strings.LastIndexByte(string(h.version), '/')+1:])
	r := reading{
		format: strings.TrimSpace("JSON Feed " + version),
		base:   base,
		about: feed.About{
			Title:       cleanLine(string(h.title)),
			Description: cleanLine(string(h.description)),
			Link:        resolve(base, string(h.homePage)),
			Language:    string(h.language),
		},
	}
	for _, hub := range h.hubs {
		r.hints.link("hub", resolve(base, string(hub.URL)))
	}
	r.hints.link("self", resolve(base, string(h.self)))
	for i := range items {
		p := items[i].post(base)
		if len(p.authors) == 0 {
			p.authors = jsonNames(h.authors)
		}
		r.posts = append(r.posts, p)
	}
	return r
}

func (item *jsonItem) post(base *url.URL) post {
	p := post{
		guid: string(item.ID), link: firstOf(string(item.URL), string(item.ExternalURL)),
		title: string(item.Title), plainTitle: true,
		content:  firstOf(string(item.ContentHTML), html.EscapeString(string(item.ContentText))),
		summary:  html.EscapeString(string(item.Summary)),
		authors:  append(jsonNames(item.Authors), jsonNames(item.Author)...),
		language: string(item.Language), base: base,
		published: firstDate(string(item.DatePublished)), updated: firstDate(string(item.DateModified)),
	}
	for _, tag := range item.Tags {
		p.file(Category{Term: html.EscapeString(string(tag))})
	}
	for _, a := range item.Attachments {
		p.attach(Enclosure{URL: string(a.URL), Type: string(a.MimeType), Length: string(a.Size)})
	}
	return p
}

func jsonNames(authors []jsonAuthor) []string {
	var out []string
	for _, a := range authors {
		out = append(out, a.name)
	}
	return out
}
