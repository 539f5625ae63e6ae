package feedxml

import (
	"bytes"
	"cmp"
	"encoding/json"
	"time"

	"github.com/gorilla/feeds"
)

// jsonFeed is the feed object of gorilla/feeds with encoded items.
type jsonFeed struct {
	feeds.JSONFeed
	Items []json.RawMessage `json:"items"`
}

// jsonEntry is an item. An item must have content, so content_html is present even if it is empty.
type jsonEntry struct {
	ID          string             `json:"id"`
	URL         string             `json:"url,omitempty"`
	Title       string             `json:"title,omitempty"`
	ContentHTML string             `json:"content_html"`
	Summary     string             `json:"summary,omitempty"`
	Image       string             `json:"image,omitempty"`
	Published   time.Time          `json:"date_published,omitzero"`
	Modified    time.Time          `json:"date_modified,omitzero"`
	Authors     []feeds.JSONAuthor `json:"authors,omitempty"`
	Tags        []string           `json:"tags,omitempty"`
	Attachments []jsonAttachment   `json:"attachments,omitempty"`
}

// jsonAttachment replaces that of gorilla/feeds, which writes "size" instead of "size_in_bytes".
type jsonAttachment struct {
	URL  string `json:"url"`
	Type string `json:"mime_type"`
	Size int64  `json:"size_in_bytes,omitempty"`
}

func jsonDocument(c *Channel, items [][]byte) ([]byte, error) {
	f := jsonFeed{JSONFeed: feeds.JSONFeed{
		Version: "https://jsonfeed.org/version/1.1", Title: c.Title, Language: c.Language, HomePageUrl: c.Link, FeedUrl: c.Self,
		Description: c.Description, Icon: c.Logo,
	}, Items: make([]json.RawMessage, len(items))}
	if c.Hub != "" {
		f.Hubs = []*feeds.JSONHub{{Type: "WebSub", Url: c.Hub}}
	}
	for i, it := range items {
		f.Items[i] = it
	}
	return marshal(f)
}

func jsonItem(e *Entry) ([]byte, error) {
	it := jsonEntry{
		ID: e.IDs.JSON, URL: e.Link, Title: e.Title, ContentHTML: cmp.Or(e.Content, e.Summary), Summary: e.Description,
		Image: e.Image.URL, Published: e.Published.UTC(), Modified: e.Modified.UTC(),
	}
	for _, name := range e.Authors {
		it.Authors = append(it.Authors, feeds.JSONAuthor{Name: name})
	}
	for _, c := range e.Categories {
		it.Tags = append(it.Tags, cmp.Or(c.Label, c.Term))
	}
	for _, file := range e.Files {
		it.Attachments = append(it.Attachments, jsonAttachment{file.URL, file.Type, file.Length})
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
