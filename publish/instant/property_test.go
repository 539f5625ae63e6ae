package instant_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/publish/instant/validate"
)

// author writes random pages. Each word and address is unique.
type author struct {
	*rand.Rand
	sb    strings.Builder
	names int
}

func (a *author) pick(of ...string) string { return of[a.IntN(len(of))] }

func (a *author) name() string {
	a.names++
	return fmt.Sprintf("q%dz", a.names)
}

// page writes up to eight blocks.
func (a *author) page() string {
	for range 1 + a.IntN(8) {
		a.block(0)
	}
	return a.sb.String()
}

func (a *author) block(depth int) {
	if depth > 5 {
		a.text()
		return
	}
	switch a.IntN(14) {
	case 0, 1, 2:
		a.element("p", depth, a.inline)
	case 3:
		a.element(a.pick("h1", "h2", "h3", "h4", "h5", "h6"), depth, a.inline)
	case 4, 5:
		a.element(a.pick("div", "section", "article", "main", "center", `div class="entry"`, "x-card"), depth, a.block)
	case 6:
		a.list(depth)
	case 7:
		a.element(a.pick("blockquote", "aside", `blockquote class="pullquote"`), depth, a.block)
	case 8:
		a.figure(depth)
	case 9:
		a.medium()
	case 10:
		a.element(a.pick("pre", "address", "details", "dl", "form", "fieldset"), depth, a.inline)
	case 11:
		a.sb.WriteString("<table>")
		for range 1 + a.IntN(2) {
			a.sb.WriteString("<tr><td>")
			a.inline(depth + 1)
			a.sb.WriteString("</td><td>")
			a.inline(depth + 1)
			a.sb.WriteString("</td></tr>")
		}
		a.sb.WriteString("</table>")
	case 12:
		a.sb.WriteString(a.pick("<p></p>", "<p>&nbsp;</p>", "<div> </div>", "<br>", "<hr>", "<!-- note -->", "<h2></h2>", "<ul></ul>",
			"<script>var x = '<p>no</p>'</script>", "<style>p { color: red }</style>", "<figure></figure>"))
	default:
		a.text()
	}
}

// element writes an element with up to three children.
func (a *author) element(tag string, depth int, child func(depth int)) {
	a.sb.WriteString("<" + tag + ">")
	for range 1 + a.IntN(3) {
		child(depth + 1)
	}
	name, _, _ := strings.Cut(tag, " ")
	a.sb.WriteString("</" + name + ">")
}

func (a *author) list(depth int) {
	tag := a.pick("ul", "ol")
	a.sb.WriteString("<" + tag + ">")
	for range 1 + a.IntN(3) {
		a.element("li", depth, func(depth int) {
			if a.IntN(4) == 0 {
				a.block(depth)
				return
			}
			a.inline(depth)
		})
	}
	a.sb.WriteString("</" + tag + ">")
}

func (a *author) figure(depth int) {
	a.sb.WriteString(a.pick("<figure>", `<figure class="wp-block-image">`, `<figure class="wp-block-gallery">`))
	for range 1 + a.IntN(3) {
		a.medium()
	}
	if a.IntN(2) == 0 {
		a.element("figcaption", depth, a.inline)
	}
	a.sb.WriteString("</figure>")
}

func (a *author) medium() {
	src := "https://media.example/" + a.name()
	switch a.IntN(6) {
	case 0, 1:
		fmt.Fprintf(&a.sb, `<img src="%s.jpg">`, src)
	case 2:
		fmt.Fprintf(&a.sb, `<img class="lazy" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src="%s.jpg" alt="x">`, src)
	case 3:
		fmt.Fprintf(&a.sb, `<iframe src="%s" width="%s" height="315"></iframe>`, src, a.pick("560", "100%"))
	case 4:
		fmt.Fprintf(&a.sb, `<video controls><source src="%s.mp4" type="video/mp4"></video>`, src)
	case 5:
		fmt.Fprintf(&a.sb, `<audio src="%s.mp3"></audio>`, src)
	}
}

func (a *author) inline(depth int) {
	if depth > 7 {
		a.text()
		return
	}
	switch a.IntN(10) {
	case 0, 1:
		a.element(a.pick("b", "strong", "i", "em", "span", "u", "small", "sup", "code", "font", "mark"), depth, a.inline)
	case 2:
		a.element(fmt.Sprintf(`a href="https://links.example/%s"`, a.name()), depth, func(int) { a.text() })
	case 3:
		a.sb.WriteString(a.pick("<br>", "&nbsp;", "<b></b>", "<i> </i>", "<wbr>", "<!-- x -->"))
	case 4:
		if a.IntN(3) == 0 {
			a.medium()
		}
	default:
		a.text()
	}
}

func (a *author) text() {
	for range 1 + a.IntN(3) {
		a.sb.WriteString(a.pick("", " ", "\n", "&amp; ", "&lt;", "“", "0 ") + a.name() + a.pick(" ", "", ". "))
	}
}

// What a reader sees of a random page is in the document, every warning is true, the document is valid, and transforming
// it again changes nothing.
func TestRandomPagesKeepInvariants(t *testing.T) {
	checkInvariants(t, 9092229891380934647, 120) // words around a frame in a table ran together
	seed := rand.Uint64()
	for n := range uint64(300) {
		checkInvariants(t, seed, n)
		if t.Failed() {
			t.Fatalf("seed %d, page %d", seed, n)
		}
	}
}

func checkInvariants(t *testing.T, seed, n uint64) {
	t.Helper()
	a := author{Rand: rand.New(rand.NewPCG(seed, n))}
	content := a.page()
	document, warnings, err := transform(article(content), instant.Options{})
	if errors.Is(err, instant.ErrEmpty) && lost(content, "", warnings) == nil {
		return
	}
	if err != nil {
		t.Errorf("%v\n%s", err, content)
		return
	}
	if len(warnings) < 100 { // else some were not told
		for _, fault := range lost(content, document, warnings) {
			t.Errorf("lost without a warning: %s\n%s\n%s", fault, content, document)
		}
	}
	for _, fault := range untrue(content, document, warnings) {
		t.Errorf("untrue warning: %s\n%s\n%s", fault, content, document)
	}
	for _, fault := range append(joined(content, document), unnamed(document)...) {
		t.Errorf("words run together, or link without text: %s\n%s\n%s", fault, content, document)
	}
	for _, f := range validate.Document(document, validate.Options{}) {
		t.Errorf("not valid: %+v\n%s\n%s", f, content, document)
	}
	again, _, err := transform(article(body(document)), instant.Options{})
	if diff := cmp.Diff(body(document), body(again)); err != nil || diff != "" {
		t.Errorf("a second transformation differs: %v (-first +second)\n%s\n%s", err, diff, content)
	}
}
