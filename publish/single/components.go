package single

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// roles are the elements whose text is a component of its own.
var roles = map[atom.Atom]string{
	atom.H1: "heading1", atom.H2: "heading2", atom.H3: "heading3", atom.H4: "heading4", atom.H5: "heading5", atom.H6: "heading6",
	atom.Blockquote: "quote", atom.Figcaption: "caption",
}

// mediaRoles are the elements that the text of a component cannot contain.
var mediaRoles = map[atom.Atom]string{
	atom.Img: "photo", atom.Video: "video", atom.Audio: "audio", atom.Iframe: "embedwebvideo",
}

// textTags are the other elements of text, and tableTags those of a table.
var (
	textTags  = hypertext.WordSet("a aside b code del em footer i li ol p pre s samp strong sub sup ul")
	tableTags = hypertext.WordSet("caption tbody td tfoot th thead tr")
)

// components returns the components of clean HTML. Media and tables are components of their own wherever they are; the text
// around them continues in elements like those that it was in.
func components(content string) ([]component, error) {
	page, err := hypertext.Parse(content)
	if err != nil {
		return nil, err
	}
	s := splitter{role: "body"}
	s.children(page.Root)
	s.flush()
	return s.all, nil
}

// splitter splits a tree into components.
type splitter struct {
	all  []component
	role string          // of the text that is being written
	text strings.Builder // with tags
	full bool            // text contains more than tags
	open []*html.Node    // elements around the place, outermost first
}

func (s *splitter) children(n *html.Node) {
	for child := range n.ChildNodes() {
		s.node(child)
	}
}

func (s *splitter) node(n *html.Node) {
	role, media := roles[n.DataAtom], mediaRoles[n.DataAtom]
	switch {
	case n.Type == html.TextNode:
		s.text.WriteString(html.EscapeString(n.Data))
		s.full = s.full || !hypertext.Blank(n.Data)
	case role != "":
		s.flush()
		around := s.role
		s.role = role
		s.children(n)
		s.flush()
		s.role = around
	case media != "":
		if url := address(n); url != "" {
			s.alone(component{Role: media, URL: url, Spoken: hypertext.Attr(n, "alt")})
		}
	case n.DataAtom == atom.Hr:
		s.alone(component{Role: "divider"})
	case n.DataAtom == atom.Table:
		s.table(n)
	case n.DataAtom == atom.Br:
		s.text.WriteString("<br>")
	case textTags[n.Data]:
		s.text.WriteString(startTag(n, "href"))
		s.open = append(s.open, n)
		s.children(n)
		s.open = s.open[:len(s.open)-1]
		s.text.WriteString("</" + n.Data + ">")
	default:
		s.children(n)
	}
}

// alone ends the component of the text before, and adds one.
func (s *splitter) alone(c component) {
	s.flush()
	s.all = append(s.all, c)
}

// flush ends the component of the text before. It opens the elements around the place again for the next one.
func (s *splitter) flush() {
	for i := len(s.open) - 1; i >= 0; i-- {
		s.text.WriteString("</" + s.open[i].Data + ">")
	}
	if s.full {
		s.all = append(s.all, component{Role: s.role, Text: s.text.String(), Format: "html"})
	}
	s.text.Reset()
	s.full = false
	for _, n := range s.open {
		s.text.WriteString(startTag(n, "href"))
	}
}

// table adds a table, and after it the media and tables in its cells, which it cannot contain.
func (s *splitter) table(table *html.Node) {
	var out strings.Builder
	var after []*html.Node
	var write func(n *html.Node)
	write = func(n *html.Node) {
		for child := range n.ChildNodes() {
			switch {
			case child.Type == html.TextNode:
				out.WriteString(html.EscapeString(child.Data))
			case child.DataAtom == atom.Br:
				out.WriteString("<br>")
			case child.DataAtom == atom.Table, mediaRoles[child.DataAtom] != "":
				after = append(after, child)
			case textTags[child.Data], tableTags[child.Data]:
				out.WriteString(startTag(child, "href", "colspan", "rowspan"))
				write(child)
				out.WriteString("</" + child.Data + ">")
			default:
				write(child)
			}
		}
	}
	write(table)
	if !hypertext.Blank(hypertext.PlainText(out.String(), 100)) {
		s.alone(component{Role: "htmltable", HTML: "<table>" + out.String() + "</table>"})
	}
	for _, n := range after {
		s.node(n)
	}
}

// startTag returns the start tag of n with some of its attributes.
func startTag(n *html.Node, attributes ...string) string {
	tag := "<" + n.Data
	for _, key := range attributes {
		if value := hypertext.Attr(n, key); value != "" {
			tag += " " + key + `="` + html.EscapeString(value) + `"`
		}
	}
	return tag + ">"
}

// address returns the URL of a media element, or of the first of its sources.
func address(n *html.Node) string {
	if src := hypertext.Attr(n, "src"); src != "" {
		return src
	}
	for child := range n.ChildNodes() {
		if child.DataAtom == atom.Source {
			return hypertext.Attr(child, "src")
		}
	}
	return ""
}
