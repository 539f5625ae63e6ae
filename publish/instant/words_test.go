package instant_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// wordsOf returns the words that a reader sees, including those of frames and alternative texts. Elements that are not
// part of a line separate words.
func wordsOf(content string) []string {
	var sb strings.Builder
	var read func(n *html.Node)
	read = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode && n.Parent.DataAtom == atom.Iframe:
			sb.WriteString(strings.Join(wordsOf(n.Data), " "))
			return
		case n.Type == html.TextNode && !hiddenText(n):
			sb.WriteString(hypertext.Clean(n.Data))
			return
		}
		apart := n.Type == html.ElementNode && !withinLine(n)
		if apart {
			sb.WriteString(" " + attribute(n, "alt") + " ")
		}
		for c := range n.ChildNodes() {
			read(c)
		}
		if apart {
			sb.WriteString(" ")
		}
	}
	read(readSource(content))
	return strings.Fields(strings.NewReplacer("\u200b", "", "\u2060", "", "\ufeff", "").Replace(sb.String()))
}

// withinLine reports whether an element is part of a line, so that it does not separate words.
func withinLine(n *html.Node) bool {
	switch n.DataAtom {
	case 0: // as browsers read it, but for the boxes of papers
		return !strings.Contains(n.Data, "pull-quote") && !strings.Contains(n.Data, "big-number")
	case atom.Script, atom.Style, atom.Template: // invisible
		return true
	case atom.Cite: // the format shows it on a line of its own
		return n.Parent.DataAtom != atom.Aside && n.Parent.DataAtom != atom.Figcaption
	case atom.A, atom.Abbr, atom.Acronym, atom.B, atom.Bdi, atom.Bdo, atom.Big, atom.Code, atom.Del, atom.Dfn, atom.Em,
		atom.Font, atom.I, atom.Ins, atom.Kbd, atom.Label, atom.Mark, atom.Q, atom.Rp, atom.Rt, atom.Ruby, atom.S, atom.Samp, atom.Small, atom.Span,
		atom.Strike, atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.Tt, atom.U, atom.Var, atom.Wbr:
		return true
	}
	return false
}

// joined returns the words of the document that are separate words in the source.
func joined(content, document string) (faults []string) {
	source := wordsOf(content)
	apart := "\n" + strings.Join(source, "\n")
	together := strings.Join(source, "")
	_, document, _ = strings.Cut(document, "</header>")
	for _, word := range wordsOf(document) {
		if !strings.Contains(apart, word) && strings.Contains(together, word) {
			faults = append(faults, word)
		}
	}
	return faults
}

// unnamed returns the links of the document without visible text, except related articles, whose titles the consumer
// shows.
func unnamed(document string) (faults []string) {
	_, document, _ = strings.Cut(document, "</header>")
	walk(readSource(document), func(n *html.Node) {
		related := n.Parent != nil && n.Parent.Parent != nil && attribute(n.Parent.Parent, "class") == "op-related-articles"
		if n.DataAtom == atom.A && ink(inkOf(n)) == "" && !related {
			faults = append(faults, attribute(n, "href"))
		}
	})
	return faults
}

// undescribed returns alternative texts of several words that are neither in the document nor replaced by a caption.
func undescribed(content, document string, warnings []hypertext.Warning) (faults []string) {
	captioned := make(map[string]bool) // addresses of images
	walk(readSource(document), func(n *html.Node) {
		if n.DataAtom == atom.Img && n.NextSibling != nil && n.NextSibling.DataAtom == atom.Figcaption {
			captioned[attribute(n, "src")] = true
		}
	})
	ours, written := ink(strings.Join(wordsOf(document), "")), writtenTags(content)
	walk(readSource(content), func(n *html.Node) {
		alt := attribute(n, "alt")
		if n.DataAtom != atom.Img || len(strings.Fields(alt)) < 2 || strings.Contains(ours, ink(alt)) || excused(n, written, warnings) {
			return
		}
		for _, address := range media(n)[0] {
			if captioned[address] {
				return
			}
		}
		faults = append(faults, alt)
	})
	return faults
}

// TestPagesLoseNothing depends on this.
func TestOracleFindsWordErrors(t *testing.T) {
	const content = `<p>one</p>two <b>th</b>ree<img src="/i.jpg" alt="What it shows"><p><a href="/x">four</a></p>`
	const image = `<img src="https://example.org/i.jpg">`
	for name, tt := range map[string]struct {
		document string
		faults   int
	}{
		"all there":          {`<p>one</p><p>two three</p>` + image + `<figcaption>What it shows</figcaption><p><a href="/x">four</a></p>`, 0},
		"words run together": {`<p>onetwo <b>th</b>ree</p>` + image + `<figcaption>What it shows</figcaption><p>four</p>`, 1},
		"a caption instead":  {`<p>one</p>` + image + `<figcaption>Another</figcaption>`, 0},
		"no caption":         {`<p>one</p>` + image, 1},
		"a link unseen":      {`<p>one<a href="/x"> </a></p>` + image + `<figcaption>What it shows</figcaption>`, 1},
	} {
		document := "<header></header>" + tt.document
		got := fmt.Sprint(joined(content, document), unnamed(document), undescribed(content, document, nil))
		if faults := len(joined(content, document)) + len(unnamed(document)) + len(undescribed(content, document, nil)); faults != tt.faults {
			t.Errorf("%s: got %s, want %d faults", name, got, tt.faults)
		}
	}
}
