package parser

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"html"
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
	var raw []json.RawMessage
	if data[0] != '[' {
		raw = append(raw, data)
	} else if err := json.Unmarshal(data, &raw); err != nil { // not into data itself, which would be overwritten
		return err
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
type jsonAuthor feed.Person

func (a *jsonAuthor) UnmarshalJSON(data []byte) error {
	var object struct {
		Name, URL, Avatar jsonText
		Feedwire          struct{ Email jsonText } `json:"_feedwire"`
	}
	if data[0] != '{' {
		return json.Unmarshal(data, &a.Name)
	}
	err := json.Unmarshal(data, &object)
	*a = jsonAuthor{
		Name: firstOf(string(object.Name), string(object.URL)), URL: string(object.URL), Image: string(object.Avatar),
		Email: string(object.Feedwire.Email),
	}
	return err
}

// jsonFeed is a feed of JSON Feed 1.0 and 1.1.
type jsonFeed struct {
	Version, Title, Description, Language jsonText
	HomePage                              jsonText `json:"home_page_url"`
	Icon, Favicon                         jsonText
	Feedwire                              struct {
		Rights, Owner, Type, Explicit jsonText
		OwnerEmail                    jsonText `json:"owner_email"`
		Categories                    jsonList[feed.Category]
		Persons                       jsonList[feed.Person]
	} `json:"_feedwire"`
	Author, Authors jsonList[jsonAuthor]
	Items           json.RawMessage // of several members the last, as other readers of JSON do (RFC 8259 section 4)
}

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
		MimeType   jsonText        `json:"mime_type"`
		Size       jsonText        `json:"size_in_bytes"`
		Duration   jsonText        `json:"duration_in_seconds"`
		Feedwire   json.RawMessage `json:"_feedwire"` // feed.FileDetails
	}]
	Feedwire json.RawMessage `json:"_feedwire"`
}

// jsonLists are the lists for which JSON Feed has no member.
type jsonLists struct {
	Contributors, Persons jsonList[feed.Person]
	Media                 jsonList[feed.Enclosure]
	Chapters              jsonList[feed.Chapter]
	Transcripts           jsonList[feed.Transcript]
	Categories            jsonList[feed.Category] // with scheme or label; then tags repeats their names
}

// readJSON reads a JSON Feed. All texts except content_html are plain. Of a damaged document, it reads the items before the
// first syntax error.
func readJSON(text []byte, base *url.URL, maxItems int) (r reading, err error) {
	r.left = make(map[feed.FindingClass]int)
	if _, err := mend.CheckJSON(text); err != nil {
		return r, err
	}
	var f jsonFeed
	err = json.Unmarshal(text, &f)
	if err != nil {
		if sound := mend.WithoutTrailingCommas(text); len(sound) < len(text) {
			text, f = sound, jsonFeed{}
			err = json.Unmarshal(text, &f)
			r.repairs |= mend.RepairedCommas
		}
	}
	if damage, ok := errors.AsType[*json.SyntaxError](err); ok {
		if json.Valid(text[:damage.Offset-1]) {
			return r, feed.Failf(feed.FailureParse, "the document is not valid JSON: text follows its end")
		}
		sound := text[:damage.Offset]
		if len(sound) < len(text) {
			sound = sound[:len(sound)-1] // the last byte is the error
		}
		complete, _ := mend.CheckJSON(sound)
		if json.Unmarshal(append(text[:complete:complete], "]}"...), &f) == nil && bytes.IndexByte(f.Items, '{') >= 0 {
			err = nil
			r.repairs |= mend.Truncated
		}
	}
	var items []json.RawMessage
	switch {
	case err != nil:
		return r, &feed.PollError{Class: feed.FailureParse, Reason: "the document is not valid JSON", Err: err}
	case f.Version == "" || f.Items == nil && !strings.Contains(string(f.Version), "jsonfeed.org"):
		return r, feed.Failf(feed.FailureNotAFeed, "the document is %s", otherJSON(text, f.Items != nil))
	case f.Items != nil && json.Unmarshal(f.Items, &items) != nil:
		return r, feed.Failf(feed.FailureParse, "the document is not a valid JSON Feed: items is not a list")
	case string(f.Items) == "null":
		r.repairs |= mend.RepairedJSONType
	}
	r.Document.Format = strings.TrimSpace("JSON Feed " + string(f.Version[strings.LastIndexByte(string(f.Version), '/')+1:]))
	r.Base = base.String()
	r.Document.About = feed.About{
		Title:       mend.Line(string(f.Title)),
		Description: mend.Line(string(f.Description)),
		Link:        mend.Resolve(base, string(f.HomePage)),
		Language:    string(f.Language),
	}
	authors := append(jsonPersons(f.Authors), jsonPersons(f.Author)...)
	channel := &post{base: base, authors: authors}
	channel.addCategories(f.Feedwire.Categories)
	r.Document.About.Podcast = feed.Podcast{
		Owner: channel.bounded(mend.Line(string(f.Feedwire.Owner))), OwnerEmail: addressIn(string(f.Feedwire.OwnerEmail)),
		Type:     channel.bounded(mend.Line(string(f.Feedwire.Type))),
		Explicit: feed.Answer(feed.FieldNamed("explicit").Normalise(string(f.Feedwire.Explicit))),
		Persons:  channel.cleanPersons(f.Feedwire.Persons, maxAuthors, feed.FindingField),
	}
	channel.describeFeed(&r.Document.About, string(f.Icon), string(f.Favicon), string(f.Feedwire.Rights))
	var exceeded error
	for i, raw := range items {
		if len(r.posts) == maxItems {
			r.left[feed.FindingEntries] += len(items) - i
			break
		}
		if err := mend.CheckJSONItem(raw); err != nil {
			exceeded = cmp.Or(exceeded, err)
			r.left[feed.FindingEntry]++
			continue
		}
		var item jsonItem
		if raw[0] != '{' || json.Unmarshal(raw, &item) != nil {
			r.repairs |= mend.RepairedJSONType
			continue
		}
		p := item.post(base)
		p.readJSONFields(raw)
		if len(p.authors) == 0 {
			p.authors = authors
		}
		r.posts = append(r.posts, p)
	}
	if len(r.posts) == 0 {
		return r, exceeded
	}
	return r, nil
}

// isJSONList reports whether text is a list in JSON rather than a message before a feed, such as "[warning] …".
func isJSONList(text []byte) bool {
	list, ok := bytes.CutPrefix(text, []byte("["))
	list = bytes.TrimLeft(list, " \t\r\n")
	return ok && len(list) > 0 && strings.IndexByte(`{["]`, list[0]) >= 0
}

// otherJSON describes JSON that is no feed, and says where the feed may be.
func otherJSON(text []byte, items bool) string {
	var object struct {
		Context    json.RawMessage `json:"@context"`
		Type       jsonText
		Namespaces jsonList[jsonText]
	}
	list := isJSONList(text)
	if !list {
		_ = json.Unmarshal(text, &object) // what cannot be read is unknown
	}
	switch {
	case list && bytes.Contains(text, []byte(`"rendered"`)), len(object.Namespaces) > 0 && bytes.Contains(text, []byte(`"wp/v2"`)):
		return "an answer of the REST API of WordPress, not a feed; the feed of the site is at /feed/"
	case list:
		return "a JSON list, not a JSON Feed"
	case bytes.Contains(object.Context, []byte("https://www.w3.org/ns/activitystreams")):
		return "an ActivityPub " + firstOf(feed.ShortLine(string(object.Type)), "object") +
			", not a feed; feedwire source add with the address of the profile page finds its feed, if it has one"
	case items:
		return "JSON with items, but without the version of a JSON Feed, so it is not a feed; its owner must add " +
			`"version": "https://jsonfeed.org/version/1.1"`
	}
	return "JSON, but not a JSON Feed"
}

func (item *jsonItem) post(base *url.URL) *post {
	p := &post{
		guid: string(item.ID), link: firstLink(base, []string{string(item.URL), string(item.ExternalURL)}),
		title: string(item.Title), plainTitle: true,
		content:   firstOf(string(item.ContentHTML), html.EscapeString(string(item.ContentText))),
		summary:   html.EscapeString(string(item.Summary)),
		authors:   append(jsonPersons(item.Authors), jsonPersons(item.Author)...),
		base:      base,
		published: firstDate(string(item.DatePublished)), updated: firstDate(string(item.DateModified)),
	}
	var lists jsonLists
	_ = json.Unmarshal(item.Feedwire, &lists) // absent or malformed means none
	p.addCategories(lists.Categories)
	for _, tag := range item.Tags {
		if len(lists.Categories) == 0 {
			p.addCategory(feed.Category{Term: html.EscapeString(string(tag))})
		}
	}
	for _, a := range item.Attachments {
		e := enclosure{URL: string(a.URL), Type: string(a.MimeType), Length: string(a.Size)}
		_ = json.Unmarshal(a.Feedwire, &e.FileDetails) // absent or malformed means none
		e.Title, e.Duration = firstOf(string(a.Title), e.Title), cmp.Or(secondsOf(string(a.Duration)), e.Duration)
		p.addEnclosure(e)
	}
	p.contributors, p.persons, p.chapters, p.transcripts = lists.Contributors, lists.Persons, lists.Chapters, lists.Transcripts
	for _, m := range lists.Media {
		p.addMedia(m)
	}
	return p
}

// addCategories adds categories whose texts are plain.
func (p *post) addCategories(all []feed.Category) {
	for _, c := range all {
		p.addCategory(feed.Category{
			Term: html.EscapeString(c.Term), Scheme: c.Scheme, Label: html.EscapeString(c.Label), Parent: html.EscapeString(c.Parent),
		})
	}
}

func jsonPersons(authors []jsonAuthor) (all []feed.Person) {
	for _, a := range authors {
		all = append(all, feed.Person(a))
	}
	return all
}
