package feedxml

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/feedwire/feedwire/publish/single"
	"github.com/feedwire/feedwire/store/feed"
)

// Single is the document of one article.
type Single struct {
	Name      string // file name
	MediaType string
	Body      []byte
}

// articleList is the document of a feed in a format in which each article has a document of its own.
type articleList struct {
	Articles []json.RawMessage `json:"articles"`
}

func articlesDocument(_ *Channel, articles [][]byte) ([]byte, error) {
	return slices.Concat([]byte(`{"articles":[`), bytes.Join(articles, []byte(",\n")), []byte("]}")), nil
}

func countArticles(document []byte) (int, error) {
	var list articleList
	err := json.Unmarshal(document, &list)
	return len(list.Articles), err
}

func appleItem(e *Entry) ([]byte, error) {
	document, err := single.AppleNews(e.single())
	if err != nil {
		return nil, err
	}
	return marshal(document)
}

func appleSingles(document []byte) (all []Single, err error) {
	var list articleList
	if err := json.Unmarshal(document, &list); err != nil {
		return nil, err
	}
	for _, article := range list.Articles {
		var head struct{ Identifier string }
		if err := json.Unmarshal(article, &head); err != nil {
			return nil, err
		}
		all = append(all, Single{head.Identifier + ".json", "application/json", article})
	}
	return all, nil
}

// single returns the entry as an article of its own.
func (e *Entry) single() *single.Article {
	a := &single.Article{
		Identifier: e.IDs.RSS, Title: e.Title, Link: e.Link, Language: cmp.Or(e.Fields[feed.FieldLanguage], e.Feed.Language),
		Published: e.Published, Modified: e.Modified, Excerpt: e.Description, Image: e.Image.URL, Content: e.Content,
	}
	for _, author := range e.Authors {
		a.Authors = append(a.Authors, author.Name)
	}
	for _, c := range e.Categories {
		if !slices.Contains(a.Keywords, c.Term) {
			a.Keywords = append(a.Keywords, c.Term)
		}
	}
	return a
}
