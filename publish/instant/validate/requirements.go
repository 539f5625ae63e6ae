package validate

// Requirement is one condition that the format imposes on a document.
type Requirement struct {
	ID       string // stable; the Rule of a Finding
	Severity Severity
	Text     string // the condition
	Remedy   string // what to do if it is violated
}

// CanonicalQuery is the requirement that sites with URLs like ?p=12 violate.
const CanonicalQuery = "canonical-query"

// Requirements returns everything that Document checks, errors first.
func Requirements() []Requirement {
	return []Requirement{
		{"canonical", Error, "The canonical URL is absolute and http or https.",
			"Give the article a permanent URL and name it in the feed or in link rel=canonical."},
		{CanonicalQuery, Error, "The canonical URL has no query and no fragment.",
			"Switch the site to permanent URLs (WordPress: Settings, Permalinks), use another profile, or set query_addresses in a profile of your own."},
		{"title", Error, "The header has an h1 with text, or an ad instead.",
			"Give the article a title."},
		{"published", Error, "The header has a time.op-published with an ISO 8601 date.",
			"Give the article a publication date."},
		{"content", Error, "The body shows at least one block.",
			"Put the text of the article into the feed. feedwire transform shows what is left of it and why."},
		{"table", Error, "A table is inside an embed.",
			"Wrap the table in figure.op-interactive > iframe, or rewrite it as a list."},
		{"characters", Error, "The document is UTF-8 without characters that XML forbids.",
			"Remove control characters and save the page as UTF-8."},
		{"executable", Error, "Scripts, styles and event handlers are inside iframes only.",
			"Remove the code, or move it into figure.op-interactive > iframe."},
		{"skeleton", Error, "html > body contains exactly one article with one header.",
			"Remove html, body, article and header elements from the markup of your rules. feedwire writes them."},
		{"markup", Error, "Elements are closed in the reverse order of their start tags.",
			"Close every element inside the element that it was opened in."},
		{"size", Error, "The document has at most 16 MiB, 1,000,000 nodes and 64 levels of nesting.",
			"Split the article."},
		{"media-address", Error, "Every image, video, audio and iframe has an http or https URL.",
			"Set src to the absolute https URL of the file."},
		{"empty-element", Warning, "Every text element contains text. Spaces and no-break spaces do not count.",
			"Remove the empty element."},
		{"media-in-text", Warning, "Every image, video, audio and embed is outside of text.",
			"Move the element between two paragraphs."},
		{"media-in-list", Warning, "List items contain text only.",
			"Move the element below the list."},
		{"nested-list", Warning, "Lists are not nested.",
			"Move the inner items into the outer list."},
		{"link", Warning, "A link is http, https or mailto, and each item of a list of links has one.",
			"Use the absolute URL of the page, or remove the link and keep its text."},
		{"empty-caption", Warning, "A caption contains text.",
			"Write a caption, or remove figcaption."},
		{"embed-size", Warning, "An iframe with src has a width and a height in pixels.",
			"Set width and height of the iframe."},
		{"related-count", Warning, "A list of related articles in the body has at most three items.",
			"Keep the best three, or move the list to the footer."},
		{"unknown-element", Warning, "Every element belongs to the format and is in its place.",
			"Use an element of the format, or map the element with a rule."},
		{"relative-url", Warning, "All URLs are absolute.",
			"Add the scheme and the host to the URL."},
		{"development-tags", Warning, "A development feed has no op:tags.",
			"Set tags for production feeds only."},
		{"cover-size", Warning, "A cover image has at least 1024×1024 pixels.",
			"Use a larger version of the image."},
		{"bare-text", Warning, "Text is inside paragraphs or other text elements.",
			"Put the text into a paragraph."},
		{"date", Warning, "Dates are ISO 8601 with a time zone.",
			"Write the date like 2026-11-20T08:00:00Z."},
		{"figure", Warning, "A figure contains its medium.",
			"Add the image, video or iframe, or remove the figure."},
		{"geotag", Warning, "A map has a script.op-geotag with GeoJSON.",
			"Describe the place as a GeoJSON Feature."},
		{"attribute", Warning, "Attributes have values that the format defines.",
			"Use a value of the format, or remove the attribute."},
		{"deprecated", Warning, "Deprecated elements are not used.",
			"Use figure.op-interactive."},
		{"markup-version", Warning, "op:markup_version is v1.0.",
			"Remove the head from the markup of your rules. feedwire writes it."},
	}
}

// requirement returns the requirement with an id. The id is a constant of this package.
func requirement(id string) Requirement {
	for _, r := range Requirements() {
		if r.ID == id {
			return r
		}
	}
	panic("validate: unknown requirement " + id)
}
