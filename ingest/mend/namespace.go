package mend

import "strings"

// The namespaces in which the parser finds the elements of feeds.
const (
	spaceAtom10  = "http://www.w3.org/2005/Atom"
	spaceAtom03  = "http://purl.org/atom/ns#"
	spaceRDF     = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	spaceRSS10   = "http://purl.org/rss/1.0/"
	spaceRSS09   = "http://channel.netscape.com/rdf/simple/0.9/"
	spaceRSS09My = "http://my.netscape.com/rdf/simple/0.9/"
	spaceXHTML   = "http://www.w3.org/1999/xhtml"
)

// canonicalSpaces maps the spaceKey of a namespace to its correct spelling.
var canonicalSpaces = func() map[string]string {
	byKey := make(map[string]string)
	for _, space := range []string{
		spaceAtom10, spaceAtom03, spaceRDF, spaceRSS10, spaceRSS09, spaceRSS09My, spaceXHTML,
		"http://purl.org/rss/1.0/modules/content/",
		"http://purl.org/rss/1.0/modules/syndication/",
		"http://purl.org/rss/1.0/modules/slash/",
		"http://purl.org/rss/1.0/modules/threading/",
		"http://purl.org/dc/elements/1.1/",
		"http://purl.org/dc/terms/",
		"http://search.yahoo.com/mrss/",
		"http://www.itunes.com/dtds/podcast-1.0.dtd",
		"http://rssnamespace.org/feedburner/ext/1.0",
		"http://www.georss.org/georss",
		"http://www.w3.org/2003/01/geo/wgs84_pos#",
		"http://wellformedweb.org/CommentAPI/",
		"http://www.w3.org/1999/xlink",
	} {
		byKey[spaceKey(space)] = space
	}
	// The parser knows these in a spelling of its own.
	byKey[spaceKey("http://www.itunes.com/dtds/podcast-1.0.dtd")] = "http://www.itunes.com/DTDs/PodCast-1.0.dtd"
	byKey[spaceKey("http://wellformedweb.org/CommentAPI/")] = "http://wellformedweb.org/commentAPI/"
	byKey["purl.org/dc/elements/1.0"] = "http://purl.org/dc/elements/1.1/"
	byKey["search.yahoo.com/mrss"] = "http://search.yahoo.com/mrss/"
	byKey["purl.org/net/rss1.1"] = spaceRSS10
	byKey["purl.org/rss/1.0/modules/rss09"] = spaceRSS09
	byKey["w3.org/2005/atom1.0"] = spaceAtom10
	return byKey
}()

// spaceKey returns a namespace without the parts that are often misspelt: scheme, www, letter case, the last / or #.
func spaceKey(space string) string {
	key := strings.ToLower(strings.TrimSpace(space))
	_, key, _ = strings.Cut(key, "://")
	return strings.TrimRight(strings.TrimPrefix(key, "www."), "/#")
}

// canonicalSpace returns the correct spelling of a namespace, and whether it is a known one.
func canonicalSpace(space string) (canonical string, known bool) {
	if canonical, known = canonicalSpaces[spaceKey(space)]; known {
		return canonical, true
	}
	return space, false
}

// isMarkup reports whether elements of a namespace are part of HTML.
func isMarkup(space string) bool {
	return space == spaceXHTML || space == "http://www.w3.org/2000/svg" || space == "http://www.w3.org/1998/Math/MathML"
}

// isNative reports whether the parser takes an element of this namespace for one of the format's own. root is the
// namespace of the root element.
func isNative(format, space, root string) bool {
	switch space {
	case "":
		return true
	case spaceAtom10, spaceAtom03:
		return format == "feed"
	case spaceRDF, spaceRSS10, spaceRSS09, spaceRSS09My, "rss", "rdf":
		return format != "feed"
	}
	_, known := canonicalSpace(space)
	return format != "feed" && space == root && !known
}
