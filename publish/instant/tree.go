package instant

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/store/feed"
)

// page is what a source wrote, as a tree. Its nodes are html.Node so that selectors match them; nobody changes them.
type page struct {
	root  *html.Node
	base  string // of the first base element: what relative addresses start from; empty: none
	nodes int
}

// maxDepth bounds the nesting of the tree. Deeper elements are read as if their tags were not there: their text stays.
const maxDepth = 256

// parse makes a tree of HTML in one pass over its tokens. A conforming HTML5 tree builder is not used on purpose: it
// refuses deep documents, and misnested formatting makes it copy elements without end, while all that is needed here
// is which text stands in which element. Self-closed tags count as closed whatever their name (<iframe/> is common in
// feeds), and noscript is read as what a reader without scripts sees.
func parse(content string) (*page, error) {
	t := tree{stack: make([]*html.Node, 1, 16)}
	t.stack[0] = t.node(html.ElementNode, "body", atom.Body)
	p := &page{root: t.stack[0]}
	z := html.NewTokenizer(strings.NewReader(Clean(content)))
	for {
		kind := z.Next()
		if kind == html.ErrorToken { // the reader is a string: this is its end
			return p, nil
		}
		if p.nodes++; p.nodes > maxTokens {
			return nil, fmt.Errorf("%w: its content has more than %d tags and texts", feed.ErrInvalid, maxTokens)
		}
		switch kind {
		case html.TextToken:
			t.add(t.node(html.TextNode, Clean(string(z.Text())), 0))
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			closed := kind == html.SelfClosingTagToken || void(token.DataAtom)
			if closed || !rawText(token.DataAtom) {
				z.NextIsNotRawText()
			}
			n := t.node(html.ElementNode, Clean(token.Data), token.DataAtom)
			n.Attr = token.Attr
			for i := range n.Attr {
				n.Attr[i].Val = Clean(n.Attr[i].Val)
			}
			if n.DataAtom == atom.Base && p.base == "" {
				p.base = attr(n, "href")
			}
			t.open(n, closed)
		case html.EndTagToken:
			name, _ := z.TagName()
			t.close(name)
		}
	}
}

// tree is the parser's place in the document: the open elements, outermost first.
type tree struct {
	stack      []*html.Node
	deep       int // open elements beyond maxDepth
	paragraphs int // open p elements
	slab       []html.Node
}

// node makes a node. They are made by the hundred, because a page has thousands.
func (t *tree) node(kind html.NodeType, data string, a atom.Atom) *html.Node {
	if len(t.slab) == 0 {
		t.slab = make([]html.Node, 64)
	}
	n := &t.slab[0]
	t.slab = t.slab[1:]
	n.Type, n.Data, n.DataAtom = kind, data, a
	return n
}

func (t *tree) add(n *html.Node) {
	top := t.stack[len(t.stack)-1]
	n.Parent, n.PrevSibling = top, top.LastChild
	if top.LastChild == nil {
		top.FirstChild = n
	} else {
		top.LastChild.NextSibling = n
	}
	top.LastChild = n
}

func (t *tree) open(n *html.Node, closed bool) {
	cut := t.imply(n.DataAtom)
	switch {
	case closed:
		t.add(n)
	case len(t.stack) >= maxDepth:
		t.deep++
	default:
		t.add(n)
		t.stack = append(t.stack, n)
		if n.DataAtom == atom.P {
			t.paragraphs++
		}
		if cut != nil && len(t.stack) < maxDepth {
			again := t.node(html.ElementNode, "a", atom.A)
			again.Attr = cut.Attr
			t.add(again)
			t.stack = append(t.stack, again)
		}
	}
}

// close closes an element. The end of a paragraph that is not open still ends a line of text (HTML 13.2.6.4.7).
func (t *tree) close(name []byte) {
	if t.deep > 0 {
		t.deep--
		return
	}
	a := atom.Lookup(name)
	for i := len(t.stack) - 1; i > 0; i-- {
		open := t.stack[i]
		if open.DataAtom == a && (a != 0 || open.Data == string(name)) {
			t.cut(i)
			return
		}
		if limit := open.DataAtom; limit == atom.Table || (!cell(a) && (limit == atom.Td || limit == atom.Th)) {
			break
		}
	}
	if a == atom.P {
		t.add(t.node(html.ElementNode, "p", atom.P))
	}
}

// imply closes what the start of an element closes without saying so: a paragraph before a block, a list item before the
// next. It returns the link that was open in the paragraph, and goes on in the block (HTML 13.2.4.3); nil: none.
func (t *tree) imply(a atom.Atom) (link *html.Node) {
	switch a {
	case atom.Li:
		t.closeTo(atom.Li, atom.Li, atom.Ul, atom.Ol, atom.Table)
	case atom.Dt, atom.Dd:
		t.closeTo(atom.Dt, atom.Dd, atom.Dl, atom.Table, 0)
	case atom.Td, atom.Th:
		t.closeTo(atom.Td, atom.Th, atom.Table, atom.Tr, 0)
	case atom.Tr:
		t.closeTo(atom.Tr, 0, atom.Table, 0, 0)
	}
	if t.paragraphs > 0 && blockLevel(a) {
		return t.closeParagraph()
	}
	return nil
}

// closeTo closes the innermost open element of two kinds and all within it, unless one of the limits is met first.
func (t *tree) closeTo(one, other, limit1, limit2, limit3 atom.Atom) {
	for i := len(t.stack) - 1; i > 0; i-- {
		switch t.stack[i].DataAtom {
		case 0:
		case one, other:
			t.cut(i)
			return
		case limit1, limit2, limit3:
			return
		}
	}
}

func (t *tree) closeParagraph() (link *html.Node) {
	for i := len(t.stack) - 1; i > 0; i-- {
		switch t.stack[i].DataAtom {
		case atom.A:
			link = t.stack[i]
		case atom.P:
			t.cut(i)
			return link
		case atom.Table, atom.Td, atom.Th, atom.Li, atom.Blockquote, atom.Figure, atom.Aside:
			return nil
		}
	}
	return nil
}

// cut closes the open element at i and all within it.
func (t *tree) cut(i int) {
	for _, n := range t.stack[i:] {
		if n.DataAtom == atom.P {
			t.paragraphs--
		}
	}
	t.stack = t.stack[:i]
}
