package single

import (
	"slices"
	"strings"
	"time"
)

const (
	appleVersion = "1.7" // the first version with every property used here
	maxKeywords  = 50
)

type appleDocument struct {
	Version    string               `json:"version"`
	Identifier string               `json:"identifier"`
	Language   string               `json:"language"`
	Title      string               `json:"title"`
	Layout     appleLayout          `json:"layout"`
	Components []component          `json:"components"`
	Styles     map[string]textStyle `json:"componentTextStyles"`
	Metadata   appleMetadata        `json:"metadata"`
}

type appleLayout struct {
	Columns int `json:"columns"`
	Width   int `json:"width"`
	Margin  int `json:"margin"`
	Gutter  int `json:"gutter"`
}

type textStyle struct {
	Size   int `json:"fontSize"`
	Height int `json:"lineHeight"`
}

type appleMetadata struct {
	Authors   []string  `json:"authors,omitempty"`
	Canonical string    `json:"canonicalURL"`
	Published time.Time `json:"datePublished"`
	Modified  time.Time `json:"dateModified"`
	Excerpt   string    `json:"excerpt,omitempty"`
	Keywords  []string  `json:"keywords,omitempty"`
	Thumbnail string    `json:"thumbnailURL,omitempty"`
	Generator string    `json:"generatorName"`
}

// component is a part of an article. Its role decides which properties it has.
type component struct {
	Role   string `json:"role"`
	Text   string `json:"text,omitempty"`
	Format string `json:"format,omitempty"` // "html", or plain text
	URL    string `json:"URL,omitempty"`
	Spoken string `json:"accessibilityCaption,omitempty"`
	HTML   string `json:"html,omitempty"` // of a table
}

// appleStyles are sizes in points, as Apple recommends them for text and, larger, for headings.
func appleStyles() map[string]textStyle {
	return map[string]textStyle{
		"default": {18, 26}, "default-title": {34, 40}, "default-author": {15, 20},
		"default-heading1": {28, 34}, "default-heading2": {26, 32}, "default-heading3": {23, 29},
		"default-heading4": {20, 27}, "default-heading5": {18, 26}, "default-heading6": {18, 26},
	}
}

// AppleNews returns the Apple News Format document of an article, for JSON.
func AppleNews(a *Article) (any, error) {
	body, err := components(a.Content)
	if err != nil {
		return nil, err
	}
	all := []component{{Role: "title", Text: a.Title}}
	if len(a.Authors) > 0 {
		all = append(all, component{Role: "author", Text: strings.Join(a.Authors, ", ")})
	}
	if a.Image != "" && !slices.ContainsFunc(body, func(c component) bool { return c.URL == a.Image }) {
		all = append(all, component{Role: "photo", URL: a.Image})
	}
	return appleDocument{
		Version: appleVersion, Identifier: a.Identifier, Language: a.Language, Title: a.Title,
		Layout:     appleLayout{Columns: 7, Width: 1024, Margin: 60, Gutter: 20},
		Components: append(all, body...), Styles: appleStyles(),
		Metadata: appleMetadata{
			Authors: a.Authors, Canonical: a.Link, Published: a.Published.UTC(), Modified: a.Modified.UTC(), Excerpt: a.Excerpt,
			Keywords: a.Keywords[:min(len(a.Keywords), maxKeywords)], Thumbnail: a.Image, Generator: "feedwire",
		},
	}, nil
}
