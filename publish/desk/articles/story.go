package articles

import (
	"cmp"
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

// setStories sets the stories of the rows of a list, and the size of the inbox.
func (as *Articles) setStories(ctx context.Context, view *listView) error {
	articles := make([]feed.Article, len(view.Rows))
	for i := range view.Rows {
		articles[i] = *view.Rows[i].Article
	}
	all, err := as.store.Stories(ctx, articles, beginning)
	if err != nil {
		return err
	}
	view.Size = all.Inbox
	for i := range view.Rows {
		e := entryOf(&articles[i])
		e.Content = wholeTags(all.Beginnings[i])
		view.Rows[i].story = story{
			Source: cmp.Or(all.Titles[e.FeedURL], e.FeedURL), From: view.Base + "?source=" + url.QueryEscape(e.FeedURL),
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
