package parser

import (
	"bytes"
	"encoding/json"
	"errors"
	"html"
	"io"
	"net/url"
	"strings"

	"github.com/feedwire/feedwire/ingest/mend"
	"github.com/feedwire/feedwire/store/feed"
)

// jsonText is a string. It accepts numbers and booleans; other types are empty.
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

// jsonList is a list. It accepts a single value and omits values of a wrong type.
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
	ID, URL, Title, Summary jsonText
	ExternalURL             jsonText `json:"external_url"`
	ContentHTML             jsonText `json:"content_html"`
	ContentText             jsonText `json:"content_text"`
	DatePublished           jsonText `json:"date_published"`
	DateModified            jsonText `json:"date_modified"`
	Author, Authors         jsonList[jsonAuthor]
	Tags                    jsonList[jsonText]
	Attachments             jsonList[struct {
		URL, Title jsonText
		MimeType   jsonText `json:"mime_type"`
		Size       jsonText `json:"size_in_bytes"`
	}]

	raw json.RawMessage
}

// jsonHead holds the members of the feed itself.
type jsonHead struct {
	version, title, homePage, self, description, language jsonText
	authors                                               jsonList[jsonAuthor]
	hubs                                                  jsonList[struct{ URL jsonText }]
}

// readJSON reads a JSON Feed member by member, so that a truncated document yields its complete items.
func readJSON(text []byte, base *url.URL, maxEntries int) (r reading, err error) {
	if err := mend.CheckJSON(text); err != nil {
		return r, err
	}
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
			items, err = readItems(d, items, maxEntries, &r.repairs)
			continue
		}
		var value json.RawMessage
		if err = d.Decode(&value); err == nil {
			if head.set(key, value) != nil {
				r.repairs |= mend.RepairedJSONType
			}
		}
	}
	if err == nil {
		_, err = d.Token() // the closing brace
	}
	switch own := (*feed.PollError)(nil); {
	case errors.As(err, &own):
		return r, own
	case err != nil && len(items) == 0:
		return r, &feed.PollError{Class: feed.FailureParse, Reason: "the document is not valid JSON", Err: err}
	case err != nil:
		r.repairs |= mend.Truncated
	case !listed && !strings.Contains(string(head.version), "jsonfeed.org"):
		return r, feed.Failf(feed.FailureNotAFeed, "the document is JSON, but not a JSON Feed")
	default:
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			return r, feed.Failf(feed.FailureParse, "the document is not valid JSON: text follows its end")
		}
	}
	head.describe(&r, items, base)
	return r, nil
}

// readItems reads the list of items up to the first syntax error. It omits items that are not objects.
func readItems(d *json.Decoder, items []jsonItem, maxEntries int, repairs *mend.Repairs) ([]jsonItem, error) {
	token, err := d.Token()
	if token == nil && err == nil {
		*repairs |= mend.RepairedJSONType
		return items, nil
	}
	if token != json.Delim('[') {
		return items, feed.Failf(feed.FailureParse, "the document is not a valid JSON Feed: items is not a list")
	}
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return items, err
		}
		var item jsonItem
		if raw[0] != '{' || json.Unmarshal(raw, &item) != nil {
			*repairs |= mend.RepairedJSONType
			continue
		}
		item.raw = raw
		if items = append(items, item); len(items) > maxEntries {
			return nil, feed.Failf(feed.FailureLimits, "the document has more than %d entries (fetch.max_entries)", maxEntries)
		}
	}
	_, err = d.Token()
	return items, err
}

// set decodes a member of the feed. It ignores unknown members.
func (h *jsonHead) set(name json.Token, value json.RawMessage) error {
	into := map[json.Token]any{
		"version": &h.version, "title": &h.title, "home_page_url": &h.homePage, "feed_url": &h.self, "description": &h.description,
		"language": &h.language, "author": &h.authors, "authors": &h.authors, "hubs": &h.hubs,
	}[name]
	if into == nil {
		return nil
	}
	return json.Unmarshal(value, into)
}

// describe writes the feed into the form that all formats share. All texts except content_html are plain.
func (h *jsonHead) describe(r *reading, items []jsonItem, base *url.URL) {
	version := string(h.version[strings.LastIndexByte(string(h.version), '/')+1:])
	r.format = strings.TrimSpace("JSON Feed " + version)
	r.base = base
	r.about = feed.About{
		Title:       mend.Line(string(h.title)),
		Description: mend.Line(string(h.description)),
		Link:        mend.Resolve(base, string(h.homePage)),
		Language:    string(h.language),
	}
	for _, hub := range h.hubs {
		r.hints.link("hub", mend.Resolve(base, string(hub.URL)))
	}
	r.hints.link("self", mend.Resolve(base, string(h.self)))
	for i := range items {
		p := items[i].post(base)
		if len(p.authors) == 0 {
			p.authors = jsonNames(h.authors)
		}
		r.posts = append(r.posts, p)
	}
}

func (item *jsonItem) post(base *url.URL) post {
	p := post{
		guid: string(item.ID), link: firstOf(string(item.URL), string(item.ExternalURL)),
		title: string(item.Title), plainTitle: true,
		content:   firstOf(string(item.ContentHTML), html.EscapeString(string(item.ContentText))),
		summary:   html.EscapeString(string(item.Summary)),
		authors:   append(jsonNames(item.Authors), jsonNames(item.Author)...),
		base:      base,
		published: firstDate(string(item.DatePublished)), updated: firstDate(string(item.DateModified)),
	}
	p.readJSONFields(item.raw)
	for _, tag := range item.Tags {
		p.addCategory(category{Term: html.EscapeString(string(tag))})
	}
	for _, a := range item.Attachments {
		p.addEnclosure(enclosure{URL: string(a.URL), Type: string(a.MimeType), Length: string(a.Size)})
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
