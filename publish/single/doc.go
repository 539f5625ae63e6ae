// Package single makes documents of single articles: Apple News Format and AMP HTML. Package feedxml writes lists of them.
package single

import "time"

// Article is an article with clean content. Addresses are absolute; empty fields are left out.
type Article struct {
	Identifier          string // up to 64 letters, digits, "-" and "_"
	Title, Link         string
	Language            string // BCP 47
	Published, Modified time.Time
	Authors, Keywords   []string
	Excerpt             string // plain text
	Image               string
	ImageWidth          int // pixels; 0 if unknown
	ImageHeight         int
	Content             string // HTML
	Publisher, Rights   string
}
