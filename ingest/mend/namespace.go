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

// canonicalSpaces maps the spaceKey of a namespace to the spelling that the parser knows.
var canonicalSpaces = map[string]string{
	"w3.org/2005/atom":                     spaceAtom10,
	"w3.org/2005/atom1.0":                  spaceAtom10,
	"purl.org/atom/ns":                     spaceAtom03,
	"w3.org/1999/02/22-rdf-syntax-ns":      spaceRDF,
	"purl.org/rss/1.0":                     spaceRSS10,
	"purl.org/net/rss1.1":                  spaceRSS10,
	"channel.netscape.com/rdf/simple/0.9":  spaceRSS09,
	"purl.org/rss/1.0/modules/rss09":       spaceRSS09,
	"my.netscape.com/rdf/simple/0.9":       spaceRSS09My,
	"w3.org/1999/xhtml":                    spaceXHTML,
	"purl.org/rss/1.0/modules/content":     "http://purl.org/rss/1.0/modules/content/",
	"purl.org/rss/1.0/modules/syndication": "http://purl.org/rss/1.0/modules/syndication/",
	"purl.org/rss/1.0/modules/slash":       "http://purl.org/rss/1.0/modules/slash/",
	"purl.org/rss/1.0/modules/threading":   "http://purl.org/rss/1.0/modules/threading/",
	"purl.org/dc/elements/1.0":             "http://purl.org/dc/elements/1.1/",
	"purl.org/dc/elements/1.1":             "http://purl.org/dc/elements/1.1/",
	"purl.org/dc/terms":                    "http://purl.org/dc/terms/",
	"search.yahoo.com/mrss":                "http://search.yahoo.com/mrss/",
	"tools.search.yahoo.com/mrss":          "http://search.yahoo.com/mrss/",
	"itunes.com/dtds/podcast-1.0.dtd":      "http://www.itunes.com/DTDs/PodCast-1.0.dtd",
	"rssnamespace.org/feedburner/ext/1.0":  "http://rssnamespace.org/feedburner/ext/1.0",
	"georss.org/georss":                    "http://www.georss.org/georss",
	"w3.org/2003/01/geo/wgs84_pos":         "http://www.w3.org/2003/01/geo/wgs84_pos#",
	"wellformedweb.org/commentapi":         "http://wellformedweb.org/commentAPI/",
	"w3.org/1999/xlink":                    "http://www.w3.org/1999/xlink",
}

// officialSpaces are the correct spellings that the parser does not know.
var officialSpaces = map[string]bool{
	"http://www.itunes.com/dtds/podcast-1.0.dtd": true,
	"http://wellformedweb.org/CommentAPI/":       true,
	"http://purl.org/dc/elements/1.0/":           true,
	"http://purl.org/net/rss1.1#":                true,
	"http://purl.org/rss/1.0/modules/rss09#":     true,
	"http://search.yahoo.com/mrss":               true, // of Media RSS 1.0
}

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
