package search

import (
	"cmp"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/feedwire/feedwire/store/feed"
)

// Fields of the index.
const (
	everything = "all" // of SearchAnywhere
	feedField  = "feed"
	timeField  = "time"
)

// document is an entry in the index, under its number.
type document struct {
	All        string  `json:"all"`
	Title      string  `json:"title"`
	Authors    string  `json:"author"`
	Categories string  `json:"category"`
	Links      string  `json:"link"`
	Feed       string  `json:"feed"`
	Time       float64 `json:"time"` // Unix seconds

	language string
}

// BleveType names the mapping of the document, that of its language.
func (d *document) BleveType() string { return d.language }

// texts are what is searched of an entry.
type texts struct {
	language string
	parts    map[feed.SearchField]string
	body     string
}

// maxBody bounds the text of an entry in the index, in bytes.
const maxBody = 256 << 10

// textOf returns what is searched of an entry.
func (x *Index) textOf(e *feed.Entry) texts {
	authors := strings.Join(e.Authors, "\n")
	parts := map[feed.SearchField]string{
		feed.SearchTitles: e.Title, feed.SearchAuthors: authors, feed.SearchCategories: strings.Join(e.Categories(), "\n"),
		feed.SearchLinks: e.Link + "\n" + e.GUID,
	}
	return texts{x.language(e), parts, x.opts.Text(cmp.Or(e.Content, e.Summary), maxBody)}
}

// in returns the texts of a field.
func (t *texts) in(field feed.SearchField) []string {
	if field != feed.SearchAnywhere {
		return []string{t.parts[field]}
	}
	return []string{t.parts[feed.SearchTitles], t.parts[feed.SearchAuthors], t.parts[feed.SearchCategories], t.body}
}

// documentOf returns an entry as the index has it.
func (x *Index) documentOf(e *feed.Entry) *document {
	t := x.textOf(e)
	return &document{
		All: strings.Join(t.in(feed.SearchAnywhere), "\n"), Title: t.parts[feed.SearchTitles],
		Authors: t.parts[feed.SearchAuthors], Categories: t.parts[feed.SearchCategories], Links: t.parts[feed.SearchLinks],
		Feed: e.FeedURL, Time: float64(e.Timestamp.Unix()), language: t.language,
	}
}

// newMapping returns the mapping of documents: words without their places, the source as it is, and the time to sort by. Nothing is stored.
func newMapping() (*mapping.IndexMappingImpl, error) {
	m := bleve.NewIndexMapping()
	m.IndexDynamic, m.StoreDynamic, m.DocValuesDynamic = false, false, false
	if err := addAnalyzers(m); err != nil {
		return nil, err
	}
	field := func(analyzer string) *mapping.FieldMapping {
		f := mapping.NewTextFieldMapping()
		f.Analyzer, f.Store, f.DocValues, f.IncludeInAll, f.IncludeTermVectors = analyzer, false, false, false, false
		return f
	}
	for _, language := range languages() {
		d := mapping.NewDocumentStaticMapping()
		words := field("feedwire_" + language)
		for _, name := range []string{everything, string(feed.SearchTitles), string(feed.SearchAuthors), string(feed.SearchCategories), string(feed.SearchLinks)} {
			d.AddFieldMappingsAt(name, words)
		}
		d.AddFieldMappingsAt(feedField, field(keyword.Name))
		seconds := mapping.NewNumericFieldMapping()
		seconds.Store, seconds.IncludeInAll = false, false
		d.AddFieldMappingsAt(timeField, seconds)
		m.AddDocumentMapping(language, d)
	}
	return m, m.Validate()
}
