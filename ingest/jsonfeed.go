package ingest

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
func readJSON(text []byte, base *url.URL, limits Limits) (r reading, repairs mend.Repairs, err error) {
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
			items, repairs, err = readItems(d, items, limits)
			continue
		}
		var value json.RawMessage
		if err = d.Decode(&value); err == nil {
			name, _ := key.(string)
			if head.set(name, value) != nil {
				repairs |= mend.RepairedJSONType
			}
		}
	}
	if err == nil {
		_, err = d.Token() // the closing brace
	}
	switch own := (*feed.Failure)(nil); {
	case errors.As(err, &own):
		return r, 0, own
	case err != nil && len(items) == 0:
		return r, 0, &feed.Failure{Class: feed.FailureParse, Reason: "the document is not valid JSON", Err: err}
	case err != nil:
		repairs |= mend.Truncated
	case !listed && !strings.Contains(string(head.version), "jsonfeed.org"):
		return r, 0, feed.Failf(feed.FailureNotAFeed, "the document is JSON, but not a JSON Feed")
	default:
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			return r, 0, feed.Failf(feed.FailureParse, "the document is not valid JSON: text follows its end")
		}
	}
	return head.reading(items, base), repairs, nil
}

// readItems reads the list of items up to the first syntax error. It omits items that are not objects.
func readItems(d *json.Decoder, items []jsonItem, limits Limits) ([]jsonItem, mend.Repairs, error) {
	var repairs mend.Repairs
	token, err := d.Token()
	if token == nil && err == nil {
		return items, mend.RepairedJSONType, nil
	}
	if token != json.Delim('[') {
		return items, 0, feed.Failf(feed.FailureParse, "the document is not a valid JSON Feed: items is not a list")
	}
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return items, repairs, err
		}
		var item jsonItem
		if raw[0] != '{' || json.Unmarshal(raw, &item) != nil {
			repairs |= mend.RepairedJSONType
			continue
		}
		item.raw = raw
		if items = append(items, item); len(items) > limits.Entries {
			return nil, 0, feed.Failf(feed.FailureLimits, "the document has more than %d entries (fetch.max_entries)", limits.Entries)
		}
	}
	_, err = d.Token()
	return items, repairs, err
}

// set decodes a member of the feed. It ignores unknown members.
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

// reading returns the feed in the form that all formats share. All texts except content_html are plain.
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
		content:   firstOf(string(item.ContentHTML), html.EscapeString(string(item.ContentText))),
		summary:   html.EscapeString(string(item.Summary)),
		authors:   append(jsonNames(item.Authors), jsonNames(item.Author)...),
		base:      base,
		published: firstDate(string(item.DatePublished)), updated: firstDate(string(item.DateModified)),
	}
	p.readJSONFields(item.raw)
	for _, tag := range item.Tags {
		p.addCategory(Category{Term: html.EscapeString(string(tag))})
	}
	for _, a := range item.Attachments {
		p.addEnclosure(Enclosure{URL: string(a.URL), Type: string(a.MimeType), Length: string(a.Size)})
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
