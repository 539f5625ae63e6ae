package instant_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/instant"
)

// grower writes random HTML in which each word and each image occurs once, numbered in document order.
type grower struct {
	rand *rand.Rand
	tags []string
	next int
	sb   strings.Builder
}

func (g *grower) grow(depth int) {
	for range 1 + g.rand.IntN(4) {
		switch n := g.rand.IntN(10); {
		case n < 3:
			fmt.Fprintf(&g.sb, "w%dx ", g.next)
			g.next++
		case n < 5:
			fmt.Fprintf(&g.sb, `<img src="/w%dx.jpg">`, g.next)
			g.next++
		case depth > 0:
			tag := g.tags[g.rand.IntN(len(g.tags))]
			name, _, _ := strings.Cut(tag, " ")
			g.sb.WriteString("<" + tag + ">")
			g.grow(depth - 1)
			if g.rand.IntN(12) > 0 { // some ends are missing
				g.sb.WriteString("</" + name + ">")
			}
		}
	}
}

// Every word and image of a random page is in the article once, and in document order if there are no captions.
func TestContentIsKeptOnce(t *testing.T) {
	inline := []string{"b", "strong", "i", "em", `a href="/l"`, "span", "small", "code", "u", "custom-tag", "del"}
	blocks := []string{"p", "div", "ul", "ol", "li", "blockquote", "h1", "h2", "h5", "section", "aside", "pre", "dl", "dt", "dd", "article", "center"}
	boxes := []string{"figure", "figcaption", `div class="wp-caption"`, `p class="wp-caption-text"`, `div class="gallery"`, `figure class="wp-block-gallery"`,
		`figure class="wp-block-pullquote"`, "cite", `dl class="gallery-item"`, "picture", "noscript", "footer", "header", "details", "form"}
	word := regexp.MustCompile(`w(\d+)x`)
	for seed := range uint64(600) {
		g := grower{rand: rand.New(rand.NewPCG(seed, 1)), tags: slices.Concat(inline, blocks)}
		ordered := seed%2 == 0
		if !ordered {
			g.tags = append(g.tags, boxes...)
		}
		g.grow(6)
		content := g.sb.String() + "<p>the end</p>"
		document, _, err := transform(article(content), instant.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range word.FindAllStringSubmatch(document, -1) {
			got = append(got, m[1])
		}
		var want []string
		for i := range g.next {
			want = append(want, fmt.Sprint(i))
		}
		if !ordered {
			slices.Sort(got)
			slices.Sort(want)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: got %v, want %v\n%s\n\n%s", seed, got, want, content, document)
		}
		checkSound(t, content, document)
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, content)
		}
	}
}
