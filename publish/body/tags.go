package body

import (
	"github.com/feedwire/feedwire/publish/hypertext"
)

// names are the current names of obsolete elements and of those of AMP.
var names = map[string]string{
	"acronym": "abbr", "strike": "s", "menu": "ul", "dir": "ul", "listing": "pre", "plaintext": "pre", "xmp": "pre",
	"image": "img", "amp-img": "img", "amp-anim": "img", "amp-video": "video", "amp-audio": "audio",
	"amp-iframe": "iframe", "amp-youtube": "iframe", "embed": "iframe", "frame": "iframe",
}

func named(tag string) string {
	if name, ok := names[tag]; ok {
		return name
	}
	return tag
}

var (
	// void elements have no end tag (HTML 13.1.2).
	void = hypertext.WordSet("area base br col embed frame hr image img input keygen link meta param source track wbr")
	// rawText elements contain text in which "<" starts no tag, and which is not part of an article. noscript, noembed and
	// similar elements are read as markup, as a reader without scripts does.
	rawText = hypertext.WordSet("iframe script style textarea title")
	// hidden elements are removed with their content.
	hidden = hypertext.WordSet("annotation-xml area base datalist input keygen link map meta optgroup option param select svg template textarea title")
	// block elements start on a new line.
	block = hypertext.WordSet("address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure " +
		"footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main nav ol p pre search section summary table tbody td tfoot th thead tr ul")
	// inline elements only change the style or meaning of text.
	inline = hypertext.WordSet("a abbr b bdi bdo cite code del dfn em i ins kbd mark q s samp small span strong sub sup time u var")
	// tableShape elements contain other parts of a table and no content.
	tableShape = hypertext.WordSet("table thead tbody tfoot tr")
	// tablePart elements are the parts of a table.
	tablePart = hypertext.WordSet("caption thead tbody tfoot tr td th")
	// cell elements are the parts of a table that have content.
	cell = hypertext.WordSet("td th caption")
	// listScope elements bound the list items that an item or its end tag closes.
	listScope = hypertext.WordSet("td th caption ul ol dl blockquote figure section article aside details main nav header footer " +
		"figcaption summary pre")
	// rubyScope elements bound the annotations that another one closes.
	rubyScope = hypertext.WordSet("td th caption ruby")
	// tableScope bounds what the end tag of a part of a table closes.
	tableScope = hypertext.WordSet("table")
)

// scripts are the elements that change the meaning of their text.
var scripts = map[string]*hypertext.Script{"sup": hypertext.Superscript, "sub": hypertext.Subscript}

// leaf reports the elements that contain nothing of an article.
func leaf(tag string) bool { return void[tag] || tag == "iframe" }

// attributes are the allowed attributes of elements in the order of output, after those that every element may have.
var attributes = map[string]string{
	"a":          "href",
	"img":        "src srcset sizes alt width height",
	"source":     "src srcset sizes media type width height",
	"track":      "src kind srclang label",
	"video":      "src poster width height controls",
	"audio":      "src controls",
	"iframe":     "src width height allowfullscreen",
	"td":         "colspan rowspan scope",
	"th":         "colspan rowspan scope",
	"ol":         "start reversed type",
	"li":         "value",
	"blockquote": "cite",
	"q":          "cite",
	"ins":        "cite datetime",
	"del":        "cite datetime",
	"time":       "datetime",
	"details":    "open",
}
