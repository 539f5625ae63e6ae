package hypertext

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/store/feed"
)

// The limits of a tree.
const (
	MaxDepth  = 256     // tags of deeper elements are ignored; their text is kept
	maxTokens = 200_000 // tags and texts
)

// Page is the tree of a source's HTML. It is read-only. Its root is an element named body, without a parent.
type Page struct {
	Root  *html.Node
	Base  string // href of the first base element; empty if there is none
	Nodes int    // tags and texts read
}

// Parse builds the tree of content in one pass over its tokens. A self-closing tag closes any element, because feeds contain
// <iframe/>. noscript is parsed as markup, as a browser without scripts does.
//
// Errors: feed.ErrInvalid if content has more than 200,000 tags and texts.
func Parse(content string) (*Page, error) {
	t := tree{stack: make([]*html.Node, 1, 16)}
	t.stack[0] = t.node(html.ElementNode, "body", atom.Body)
	p := &Page{Root: t.stack[0]}
	z := html.NewTokenizer(strings.NewReader(Clean(content)))
	for {
		kind := z.Next()
		if kind == html.ErrorToken { // always io.EOF: the reader is a string
			return p, nil
		}
		if p.Nodes++; p.Nodes > maxTokens {
			return nil, fmt.Errorf("%w: its content has more than %d tags and texts", feed.ErrInvalid, maxTokens)
		}
		switch kind {
		case html.TextToken:
			t.add(t.node(html.TextNode, Clean(string(z.Text())), 0))
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			closed := kind == html.SelfClosingTagToken || Void[token.DataAtom]
			if closed || !rawText[token.DataAtom] {
				z.NextIsNotRawText()
			}
			n := t.node(html.ElementNode, Clean(token.Data), token.DataAtom)
			n.Attr = token.Attr
			for i := range n.Attr {
				n.Attr[i].Val = Clean(n.Attr[i].Val)
			}
			if n.DataAtom == atom.Base && p.Base == "" {
				p.Base = Attr(n, "href")
			}
			t.open(n, closed)
		case html.EndTagToken:
			name, _ := z.TagName()
			t.close(name)
		}
	}
}

// tree is the state of the parser.
type tree struct {
	stack   []*html.Node // open elements, outermost first
	ignored int          // open elements below MaxDepth
	slab    []html.Node  // nodes allocated in advance
}

// node returns a new node. Nodes are allocated 64 at a time, because a page has thousands.
func (t *tree) node(kind html.NodeType, data string, a atom.Atom) *html.Node {
	if len(t.slab) == 0 {
		t.slab = make([]html.Node, 64)
	}
	n := &t.slab[0]
	t.slab = t.slab[1:]
	n.Type, n.Data, n.DataAtom = kind, data, a
	return n
}

// add appends n to the innermost open element.
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

// open handles the start tag of n.
func (t *tree) open(n *html.Node, closed bool) {
	link := t.closeImplied(n.DataAtom)
	switch {
	case closed:
		t.add(n)
	case len(t.stack) >= MaxDepth:
		t.ignored++
	default:
		t.add(n)
		t.stack = append(t.stack, n)
		if link != nil && len(t.stack) < MaxDepth {
			reopened := t.node(html.ElementNode, "a", atom.A)
			reopened.Attr = link.Attr
			t.add(reopened)
			t.stack = append(t.stack, reopened)
		}
	}
}

// close handles an end tag. </p> without an open paragraph adds an empty one, which ends a line (HTML 13.2.6.4.7).
func (t *tree) close(name []byte) {
	if t.ignored > 0 {
		t.ignored--
		return
	}
	a := atom.Lookup(name)
	for i := len(t.stack) - 1; i > 0; i-- {
		open := t.stack[i]
		if open.DataAtom == a && (a != 0 || open.Data == string(name)) {
			t.stack = t.stack[:i]
			return
		}
		if limit := open.DataAtom; limit == atom.Table || (!TablePart[a] && (limit == atom.Td || limit == atom.Th)) {
			break
		}
	}
	if a == atom.P {
		t.add(t.node(html.ElementNode, "p", atom.P))
	}
}

// closeImplied closes the elements that a start tag ends implicitly: a paragraph before a block, a list item before the next.
// It returns the link that was open in the paragraph and continues in the block (HTML 13.2.4.3), or nil.
func (t *tree) closeImplied(a atom.Atom) (link *html.Node) {
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
	if BlockLevel[a] {
		return t.closeParagraph()
	}
	return nil
}

// closeTo closes the innermost open element of either kind and everything inside it, but never a limit.
func (t *tree) closeTo(one, other, limit1, limit2, limit3 atom.Atom) {
	for i := len(t.stack) - 1; i > 0; i-- {
		switch t.stack[i].DataAtom {
		case 0:
		case one, other:
			t.stack = t.stack[:i]
			return
		case limit1, limit2, limit3:
			return
		}
	}
}

// closeParagraph closes the innermost open paragraph and returns the outermost link that was open inside it, or nil.
func (t *tree) closeParagraph() (link *html.Node) {
	for i := len(t.stack) - 1; i > 0; i-- {
		switch t.stack[i].DataAtom {
		case atom.A:
			link = t.stack[i]
		case atom.P:
			t.stack = t.stack[:i]
			return link
		case atom.Table, atom.Td, atom.Th, atom.Li, atom.Blockquote, atom.Figure, atom.Aside:
			return nil
		}
	}
	return nil
}
