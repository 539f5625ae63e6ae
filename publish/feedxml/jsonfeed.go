package feedxml

import (
	"bytes"
	"cmp"
	"encoding/json"
	"time"

	"github.com/gorilla/feeds"

	"github.com/feedwire/feedwire/store/feed"
)

// jsonFeed is the feed object of gorilla/feeds with encoded items.
type jsonFeed struct {
	feeds.JSONFeed
	Authors  []jsonAuthor      `json:"authors,omitempty"`
	Feedwire *jsonDetails      `json:"_feedwire,omitempty"`
	Items    []json.RawMessage `json:"items"`
}

// jsonDetails is what a feed has for which JSON Feed has no members.
type jsonDetails struct {
	Rights     string          `json:"rights,omitempty"`
	Categories []feed.Category `json:"categories,omitempty"`
	Deleted    []jsonDeleted   `json:"deleted,omitempty"`
	*feed.Podcast
}

type jsonDeleted struct {
	ID   string    `json:"id"`
	Time time.Time `json:"date_deleted"`
}

// jsonAuthor adds an object with the email to that of gorilla/feeds.
type jsonAuthor struct {
	feeds.JSONAuthor
	Feedwire *jsonEmail `json:"_feedwire,omitempty"`
}

type jsonEmail struct {
	Email string `json:"email"`
}

func jsonAuthors(people []feed.Person) (all []jsonAuthor) {
	for _, p := range people {
		author := jsonAuthor{JSONAuthor: feeds.JSONAuthor{Name: p.Name, Url: p.URL, Avatar: p.Image}}
		if p.Email != "" {
			author.Feedwire = &jsonEmail{p.Email}
		}
		all = append(all, author)
	}
	return all
}

// jsonEntry is an item. An item must have content, so content_html is present even if it is empty.
type jsonEntry struct {
	ID          string           `json:"id"`
	URL         string           `json:"url,omitempty"`
	Title       string           `json:"title,omitempty"`
	ContentHTML string           `json:"content_html"`
	Summary     string           `json:"summary,omitempty"`
	Image       string           `json:"image,omitempty"`
	Published   time.Time        `json:"date_published,omitzero"`
	Modified    time.Time        `json:"date_modified,omitzero"`
	Authors     []jsonAuthor     `json:"authors,omitempty"`
	Tags        []string         `json:"tags,omitempty"`
	Attachments []jsonAttachment `json:"attachments,omitempty"`
}

// jsonAttachment replaces that of gorilla/feeds, which writes "size" instead of "size_in_bytes".
type jsonAttachment struct {
	URL      string            `json:"url"`
	Type     string            `json:"mime_type"`
	Title    string            `json:"title,omitempty"`
	Size     int64             `json:"size_in_bytes,omitempty"`
	Duration int64             `json:"duration_in_seconds,omitempty"`
	Feedwire *feed.FileDetails `json:"_feedwire,omitempty"` // the rest
}

func jsonFile(file feed.Enclosure) jsonAttachment {
	a := jsonAttachment{URL: file.URL, Type: file.Type, Title: file.Title, Size: int64(file.Length), Duration: file.Duration}
	rest := file.FileDetails
	rest.Title, rest.Duration = "", 0
	if rest.HasDetails() {
		a.Feedwire = &rest
	}
	return a
}

func jsonDocument(c *Channel, items [][]byte) ([]byte, error) {
	f := jsonFeed{JSONFeed: feeds.JSONFeed{
		Version: "https://jsonfeed.org/version/1.1", Title: c.Title, Language: c.Language, HomePageUrl: c.Link, FeedUrl: c.Self,
		Description: c.Description, Icon: c.Logo, Favicon: c.Icon,
	}, Authors: jsonAuthors(c.Authors), Items: make([]json.RawMessage, len(items))}
	if c.Hub != "" {
		f.Hubs = []*feeds.JSONHub{{Type: "WebSub", Url: c.Hub}}
	}
	details := jsonDetails{Rights: c.Copyright, Categories: c.Categories}
	for _, d := range c.Deleted {
		details.Deleted = append(details.Deleted, jsonDeleted{d.IDs.JSON, d.Time.UTC()})
	}
	if c.Podcast != nil {
		details.Podcast = &c.Podcast.Podcast
	}
	if details.Rights != "" || len(details.Categories)+len(details.Deleted) > 0 || details.Podcast != nil {
		f.Feedwire = &details
	}
	for i, it := range items {
		f.Items[i] = it
	}
	return marshal(f)
}

func jsonItem(e *Entry) ([]byte, error) {
	it := jsonEntry{
		ID: e.IDs.JSON, URL: e.Link, Title: e.Title, ContentHTML: cmp.Or(e.Content, e.Summary), Summary: e.Description,
		Published: e.Published.UTC(), Modified: e.Modified.UTC(),
	}
	if e.Fields[feed.FieldImage] == "" { // else it is written with the fields
		it.Image = e.Image.URL
	}
	it.Authors = jsonAuthors(e.Authors)
	for _, c := range e.Categories {
		it.Tags = append(it.Tags, cmp.Or(c.Label, c.Term))
	}
	for _, file := range e.Files {
		it.Attachments = append(it.Attachments, jsonFile(file))
	}
	item, err := marshal(it)
	if err != nil {
		return nil, err
	}
	return withFields(item, e)
}

// marshal does not escape <, > and &, which would make HTML a third longer.
func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}
