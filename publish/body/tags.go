package body

// named returns the current name of an element: obsolete elements and those of AMP have a counterpart.
func named(tag string) string {
	switch tag {
	case "acronym":
		return "abbr"
	case "strike":
		return "s"
	case "menu", "dir":
		return "ul"
	case "listing", "plaintext", "xmp":
		return "pre"
	case "image", "amp-img", "amp-anim":
		return "img"
	case "amp-video":
		return "video"
	case "amp-audio":
		return "audio"
	case "amp-iframe", "amp-youtube", "embed", "frame":
		return "iframe"
	}
	return tag
}

// void reports the elements that have no end tag (HTML 13.1.2).
func void(tag string) bool {
	switch tag {
	case "area", "base", "br", "col", "embed", "frame", "hr", "image", "img", "input", "keygen", "link", "meta", "param",
		"source", "track", "wbr":
		return true
	}
	return false
}

// leaf reports the elements that contain nothing of an article.
func leaf(tag string) bool { return void(tag) || tag == "iframe" }

// rawText reports the elements in which "<" starts no tag and whose text is not part of an article. noscript, noembed and
// similar elements are read as markup, as a reader without scripts does.
func rawText(tag string) bool {
	switch tag {
	case "iframe", "script", "style", "textarea", "title":
		return true
	}
	return false
}

// hidden reports the elements that are removed with their content.
func hidden(tag string) bool {
	switch tag {
	case "area", "base", "datalist", "input", "keygen", "link", "map", "math", "meta", "optgroup", "option", "param",
		"select", "svg", "template", "textarea", "title":
		return true
	}
	return false
}

// block reports the elements that start on a new line.
func block(tag string) bool {
	switch tag {
	case "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div", "dl",
		"dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup",
		"hr", "legend", "li", "main", "nav", "ol", "p", "pre", "search", "section", "summary", "table", "tbody", "td", "tfoot",
		"th", "thead", "tr", "ul":
		return true
	}
	return false
}

// formats reports the inline elements that only change the look or meaning of text.
func formats(tag string) bool {
	switch tag {
	case "a", "abbr", "b", "bdi", "bdo", "cite", "code", "del", "dfn", "em", "i", "ins", "kbd", "mark", "q", "s", "samp",
		"small", "span", "strong", "sub", "sup", "time", "u", "var":
		return true
	}
	return false
}

// attributes returns the allowed attributes of an element in the order of output.
func attributes(tag string) []string {
	keys := []string{"lang", "dir", "title"}
	switch tag {
	case "a":
		keys = append(keys, "href")
	case "img":
		keys = append(keys, "src", "srcset", "sizes", "alt", "width", "height")
	case "source":
		keys = append(keys, "src", "srcset", "sizes", "media", "type", "width", "height")
	case "track":
		keys = append(keys, "src", "kind", "srclang", "label")
	case "video":
		keys = append(keys, "src", "poster", "width", "height", "controls")
	case "audio":
		keys = append(keys, "src", "controls")
	case "iframe":
		keys = append(keys, "src", "width", "height", "allowfullscreen")
	case "td", "th":
		keys = append(keys, "colspan", "rowspan", "scope")
	case "ol":
		keys = append(keys, "start", "reversed", "type")
	case "li":
		keys = append(keys, "value")
	case "blockquote", "q":
		keys = append(keys, "cite")
	case "ins", "del":
		keys = append(keys, "cite", "datetime")
	case "time":
		keys = append(keys, "datetime")
	case "details":
		keys = append(keys, "open")
	}
	return keys
}
