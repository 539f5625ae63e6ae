package instant

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/store/feed"
)

// node is an element, or a text where tag is empty.
type node struct {
	tag      string // lower case
	text     string
	attrs    []html.Attribute
	children []*node
}

// attr is the value of an attribute, trimmed; empty where there is none.
func (n *node) attr(key string) string {
	for _, a := range n.attrs {
		if a.Key == key {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

// maxDepth bounds the nesting of the tree. Deeper elements are read as if their tags were not there: their text stays.
const maxDepth = 256

// parse makes a tree of HTML in one pass over its tokens. A conforming HTML5 tree builder is not used on purpose: it
// refuses deep documents, and misnested formatting makes it copy elements without end, while all that is needed here
// is which text stands in which element. Self-closed tags count as closed whatever their name (<iframe/> is common in
// feeds), and noscript is read as what a reader without scripts sees.
func parse(content string) (*node, error) {
	root := &node{tag: "body"}
	t := tree{stack: []*node{root}}
	z := html.NewTokenizer(strings.NewReader(Clean(content)))
	for tokens := 0; ; tokens++ {
		kind := z.Next()
		if kind == html.ErrorToken { // the reader is a string: this is its end
			return root, nil
		}
		if tokens > maxTokens {
			return nil, fmt.Errorf("%w: its content has more than %d tags and texts", feed.ErrInvalid, maxTokens)
		}
		token := z.Token()
		switch kind {
		case html.TextToken:
			t.add(&node{text: Clean(token.Data)})
		case html.StartTagToken, html.SelfClosingTagToken:
			closed := kind == html.SelfClosingTagToken || void(token.Data)
			if closed || !rawText(token.Data) {
				z.NextIsNotRawText()
			}
			for i := range token.Attr {
				token.Attr[i].Val = Clean(token.Attr[i].Val)
			}
			t.open(&node{tag: Clean(token.Data), attrs: token.Attr}, closed)
		case html.EndTagToken:
			t.close(token.Data)
		}
	}
}

// tree is the parser's place in the document: the open elements, outermost first.
type tree struct {
	stack []*node
	deep  int // open elements beyond maxDepth
}

func (t *tree) add(n *node) {
	top := t.stack[len(t.stack)-1]
	top.children = append(top.children, n)
}

func (t *tree) open(n *node, closed bool) {
	t.imply(n.tag)
	switch {
	case closed:
		t.add(n)
	case len(t.stack) >= maxDepth:
		t.deep++
	default:
		t.add(n)
		t.stack = append(t.stack, n)
	}
}

// close closes an element. The end of a paragraph that is not open still ends a line of text (HTML 13.2.6.4.7).
func (t *tree) close(tag string) {
	limits := []string{"td", "th"}
	if cell(tag) {
		limits = []string{"table"}
	}
	switch {
	case t.deep > 0:
		t.deep--
	case !t.closeTo([]string{tag}, limits...) && tag == "p":
		t.add(&node{tag: tag})
	}
}

// imply closes what the start of tag closes without saying so: a paragraph before a block, a list item before the next.
func (t *tree) imply(tag string) {
	switch tag {
	case "li":
		t.closeTo([]string{"li"}, "ul", "ol", "table")
	case "dt", "dd":
		t.closeTo([]string{"dt", "dd"}, "dl", "table")
	case "td", "th":
		t.closeTo([]string{"td", "th"}, "table", "tr")
	case "tr":
		t.closeTo([]string{"tr"}, "table")
	}
	if blockLevel(tag) {
		t.closeTo([]string{"p"}, "table", "td", "th", "li", "blockquote", "figure", "aside")
	}
}

// closeTo closes the innermost open element named in tags and all within it, unless one of limits is met first.
func (t *tree) closeTo(tags []string, limits ...string) bool {
	for i := len(t.stack) - 1; i > 0; i-- {
		switch name := t.stack[i].tag; {
		case slices.Contains(tags, name):
			t.stack = t.stack[:i]
			return true
		case slices.Contains(limits, name):
			return false
		}
	}
	return false
}

func cell(tag string) bool {
	switch tag {
	case "table", "thead", "tbody", "tfoot", "tr", "td", "th":
		return true
	}
	return false
}

// void reports the elements that have no end tag (HTML 13.1.2).
func void(tag string) bool {
	switch tag {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr":
		return true
	}
	return false
}

// rawText reports the elements in which "<" starts no tag. noscript, noembed and the like are read as markup.
func rawText(tag string) bool {
	switch tag {
	case "iframe", "script", "style", "textarea", "title", "xmp":
		return true
	}
	return false
}

// blockLevel reports the elements that start on a line of their own.
func blockLevel(tag string) bool {
	switch tag {
	case "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir", "div",
		"dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
		"hgroup", "hr", "li", "main", "menu", "nav", "ol", "optgroup", "option", "p", "pre", "section", "summary",
		"table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "xmp":
		return true
	}
	return false
}
