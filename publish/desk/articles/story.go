package articles

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"strings"

	"github.com/feedwire/feedwire/publish/prose"
	"github.com/feedwire/feedwire/store/feed"
)

// beginning is how many bytes of the content of an article are read for its excerpt and picture.
const beginning = 4 << 10

// story is what an article is about.
type story struct {
	Source    string // name
	From      string // page of the source in the list
	Excerpt   string
	Picture   string // address on this site; empty: none
	Direction string
}

// setStories sets the stories of rows.
func (as *Articles) setStories(ctx context.Context, path string, rows []listRow) error {
	uuids, urls := make([]string, len(rows)), make([]string, len(rows))
	for i := range rows {
		uuids[i], urls[i] = rows[i].UUID, rows[i].FeedURL
	}
	titles, err := as.store.TitlesByURL(ctx, urls)
	if err != nil {
		return err
	}
	texts, err := as.store.Beginnings(ctx, uuids, beginning)
	if err != nil {
		return err
	}
	for i := range rows {
		e := entryOf(rows[i].Article)
		e.Content = wholeTags(texts[i])
		source := feed.Source{URL: e.FeedURL, About: titles[e.FeedURL]}
		rows[i].story = story{
			Source: source.Name(), From: path + "?source=" + url.QueryEscape(e.FeedURL),
			Excerpt: prose.Excerpt(&e), Picture: as.prose.Picture(&e), Direction: prose.Direction(e.Extra[feed.FieldLanguage]),
		}
	}
	return nil
}

// wholeTags returns markup without the tag at its end that was cut.
func wholeTags(markup string) string {
	markup = strings.ToValidUTF8(markup, "")
	if open := strings.LastIndexByte(markup, '<'); open > strings.LastIndexByte(markup, '>') {
		return markup[:open]
	}
	return markup
}

// entryOf returns the entry that an article was made of.
func entryOf(a *feed.Article) feed.Entry {
	files, _ := json.Marshal(a.Enclosures) // strings and numbers always encode
	e := feed.Entry{
		FeedURL: a.FeedURL, Title: a.Title, Link: a.Canonical, Summary: a.Summary, Content: a.Content,
		Extra: map[string]string{feed.FieldImage: a.Image, feed.FieldEnclosures: string(files)},
	}
	maps.Copy(e.Extra, a.Fields)
	return e
}
