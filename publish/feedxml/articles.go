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

func appleSingles(document []byte) ([]Single, error) {
	return singles(document, func(article json.RawMessage, identifier string) Single {
		return Single{identifier + ".json", "application/json", article}
	})
}

// ampArticle is an item of a list of AMP pages.
type ampArticle struct {
	Identifier string `json:"identifier"`
	Canonical  string `json:"canonicalURL"`
	HTML       string `json:"html"`
}

func ampItem(e *Entry) ([]byte, error) {
	page, err := single.AMP(e.single())
	if err != nil {
		return nil, err
	}
	return marshal(ampArticle{e.IDs.RSS, e.Link, page})
}

func ampSingles(document []byte) ([]Single, error) {
	return singles(document, func(article json.RawMessage, identifier string) Single {
		var page ampArticle
		_ = json.Unmarshal(article, &page) // ampItem has encoded it
		return Single{identifier + ".html", "text/html", []byte(page.HTML)}
	})
}

// singles returns the documents of the articles in a list.
func singles(document []byte, single func(article json.RawMessage, identifier string) Single) (all []Single, err error) {
	var list articleList
	if err := json.Unmarshal(document, &list); err != nil {
		return nil, err
	}
	for _, article := range list.Articles {
		var head struct{ Identifier string }
		if err := json.Unmarshal(article, &head); err != nil {
			return nil, err
		}
		all = append(all, single(article, head.Identifier))
	}
	return all, nil
}

// single returns the entry as an article of its own.
func (e *Entry) single() *single.Article {
	a := &single.Article{
		Identifier: e.IDs.RSS, Title: e.Title, Link: e.Link, Language: cmp.Or(e.Fields[feed.FieldLanguage], e.Feed.Language),
		Published: e.Published, Modified: e.Modified, Excerpt: e.Description,
		Image: e.Image.URL, ImageWidth: int(e.Image.Width), ImageHeight: int(e.Image.Height), Content: e.Content,
		Publisher: e.Feed.Title, Rights: e.Feed.Copyright,
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
