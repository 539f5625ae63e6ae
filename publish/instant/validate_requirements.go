package instant

// Requirement is one thing that the format asks of a document.
type Requirement struct {
	ID       string // stable; the Rule of a Finding
	Severity Severity
	Text     string // what is required
	Remedy   string // what to do where it is not kept
}

// RuleAddressQuery is the requirement that sites without permanent addresses cannot keep: theirs are like ?p=12.
const RuleAddressQuery = "canonical-query"

// Requirements are all that Validate checks. The first twelve are errors: the consumer takes no document with one.
func Requirements() []Requirement {
	return []Requirement{
		{"canonical", SeverityError, "The canonical URL is absolute, http or https.",
			"Give the article a permanent address of its own, and name it in the feed and in link rel=canonical."},
		{RuleAddressQuery, SeverityError, "The canonical URL has no query and no fragment.",
			"Let the site write addresses without one (WordPress: Settings, Permalinks), or serve the article by another profile, or by one with query_addresses."},
		{"title", SeverityError, "The header has an h1 with text, or an ad in its place.",
			"Give the article a title."},
		{"published", SeverityError, "The header has a time.op-published with a date in ISO 8601.",
			"Give the article a publication date."},
		{"content", SeverityError, "The body has at least one block that a reader sees.",
			"Put the text into the feed; check with feedwire transform what became of it."},
		{"table", SeverityError, "A table stands in an embed, never by itself.",
			"Wrap it into figure.op-interactive > iframe, or write it as a list."},
		{"characters", SeverityError, "All characters are UTF-8 that XML allows.",
			"Remove control characters and save the page as UTF-8."},
		{"executable", SeverityError, "Nothing runs outside of frames: no scripts, styles and event handlers.",
			"Remove it, or put it into figure.op-interactive > iframe."},
		{"skeleton", SeverityError, "html > body holds exactly one article with one header.",
			"Leave the frame of the document to feedwire."},
		{"markup", SeverityError, "Each element that is opened is closed where it stands.",
			"Close elements in the order in which they were opened."},
		{"size", SeverityError, "The document has at most 16 MiB, a million parts, and 64 of them in one another.",
			"Split the article."},
		{"media-address", SeverityError, "Each image, video, audio and frame has an http or https address.",
			"Name the file by its absolute https URL in src."},
		{"empty-element", SeverityWarning, "Each text element holds text; spaces and no-break spaces are none.",
			"Remove the empty element."},
		{"media-in-text", SeverityWarning, "An image, video, audio or embed stands alone in the body, not in a text.",
			"Move it between two paragraphs."},
		{"media-in-list", SeverityWarning, "Items of lists hold text only.",
			"Move it below the list."},
		{"nested-list", SeverityWarning, "Lists hold no lists.",
			"Make the inner items ones of the outer list."},
		{"link", SeverityWarning, "A link leads to a page, by http or https, or to a mailbox, by mailto.",
			"Link to the absolute address, or remove the link and keep its text."},
		{"empty-caption", SeverityWarning, "A caption holds text.",
			"Write a caption or remove figcaption."},
		{"embed-size", SeverityWarning, "A frame with an address has a width and a height in pixels.",
			"Set width and height on the iframe."},
		{"related-count", SeverityWarning, "A list of related articles in the body has at most three.",
			"Keep the best three, or move the list to the footer."},
		{"unknown-element", SeverityWarning, "All elements are ones of the format, in their place.",
			"Write it with an element of the format, or map it with a rule."},
		{"relative-url", SeverityWarning, "All addresses are absolute.",
			"Write the address with its scheme and host."},
		{"development-tags", SeverityWarning, "A development feed has no op:tags.",
			"Send tags in production only."},
		{"cover-size", SeverityWarning, "A cover image has at least 1024×1024 pixels.",
			"Use the image in its full size."},
		{"bare-text", SeverityWarning, "Text stands in paragraphs and other elements for text.",
			"Put the text into a paragraph."},
		{"date", SeverityWarning, "Dates are in ISO 8601 with a time zone.",
			"Write it like 2026-11-20T08:00:00Z."},
		{"figure", SeverityWarning, "A figure holds the medium that it is for.",
			"Put the image, video or frame into the figure, or remove it."},
		{"geotag", SeverityWarning, "A map has a script.op-geotag with GeoJSON.",
			"Name the place as a GeoJSON Feature."},
		{"attribute", SeverityWarning, "Attributes have values that the format knows.",
			"Use a value of the format, or leave the attribute out."},
		{"deprecated", SeverityWarning, "Withdrawn elements are not used.",
			"Use figure.op-interactive."},
		{"markup-version", SeverityWarning, "op:markup_version is v1.0.",
			"Leave the head of the document to feedwire."},
	}
}

// requirement is the one with that id; the checks use no others.
func requirement(id string) Requirement {
	for _, r := range Requirements() {
		if r.ID == id {
			return r
		}
	}
	panic("instant: no requirement " + id)
}
