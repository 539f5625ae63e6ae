package publish

import (
	"bytes"
	"cmp"
	"encoding/json"
	"time"

	"github.com/gorilla/feeds"

	"github.com/feedwire/feedwire/publish/profile"
)

// jsonFeed is the JSON Feed 1.1 document of gorilla/feeds, with items that were encoded before.
type jsonFeed struct {
	feeds.JSONFeed
	Items []json.RawMessage `json:"items"`
}

// jsonEntry is an item. It has content_html also where that is empty, for it must have some content.
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

type jsonAttachment struct {
	URL  string `json:"url"`
	Type string `json:"mime_type"`
	Size int64  `json:"size_in_bytes,omitempty"`
}

func encodeJSON(c *channel, _ *profile.Profile, items [][]byte) ([]byte, error) {
	f := jsonFeed{JSONFeed: feeds.JSONFeed{
		Version: "https://jsonfeed.org/version/1.1", Title: c.title, Language: c.language, HomePageUrl: c.link, FeedUrl: c.self,
		Description: c.description, Icon: c.logo,
	}, Items: make([]json.RawMessage, len(items))}
	if c.hub != "" {
		f.Hubs = []*feeds.JSONHub{{Type: "WebSub", Url: c.hub}}
	}
	for i, it := range items {
		f.Items[i] = it
	}
	return writeJSON(f)
}

func jsonItem(e *entry, _ *profile.Profile) ([]byte, error) {
	it := jsonEntry{
		ID: e.ids.json, URL: e.link, Title: e.title, ContentHTML: cmp.Or(e.content, e.summary), Summary: e.description,
		Image: e.image.url, Published: e.published.UTC(), Modified: e.modified.UTC(),
	}
	for _, name := range e.authors {
		it.Authors = append(it.Authors, feeds.JSONAuthor{Name: name})
	}
	for _, c := range e.categories {
		it.Tags = append(it.Tags, cmp.Or(c.Label, c.Term))
	}
	for _, file := range e.files {
		it.Attachments = append(it.Attachments, jsonAttachment{file.URL, file.Type, file.Length})
	}
	return writeJSON(it)
}

// writeJSON leaves < and & as they are.
func writeJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}
