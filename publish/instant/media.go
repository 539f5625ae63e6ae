package instant

import (
	"strconv"
	"strings"
)

// figure is a medium that stands alone in the body, with its caption.
type figure struct {
	class   string // "op-interactive", or empty
	markup  string // of the medium, ready to be written
	caption []run
}

// media lays out an element that is shown, not read. Wherever it was found, it stands alone: the text around it is split.
func (b *builder) media(n *node, st style) {
	switch n.tag {
	case "img":
		b.image(n)
	case "iframe":
		b.iframe(n)
	case "video":
		b.video(n, st)
	case "audio":
		b.audio(n, st)
	case "table":
		b.table(n, st)
	}
}

func (b *builder) image(n *node) {
	src := b.source(n)
	switch {
	case src == "":
		b.warn("left out: an image without a usable address", n)
	case n.attr("width") == "1" && n.attr("height") == "1":
		b.warn("left out: a tracking pixel", n)
	default:
		b.hoist(figure{markup: `<img src="` + escape(src) + `">`})
	}
}

// The size of an embed that names none: without one the consumer refuses it.
const defaultWidth, defaultHeight = 560, 315

func (b *builder) iframe(n *node) {
	src := b.source(n)
	if src == "" {
		b.inlineFrame(n)
		return
	}
	width, wok := size(n.attr("width"))
	height, hok := size(n.attr("height"))
	if !wok || !hok {
		width, height = defaultWidth, defaultHeight
		b.warn("repaired: an embed without a size in pixels was given one", n)
	}
	b.hoist(figure{class: interactive, markup: `<iframe src="` + escape(src) + `" width="` + strconv.Itoa(width) +
		`" height="` + strconv.Itoa(height) + `"></iframe>`})
}

// size reads a length in pixels.
func size(s string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSuffix(s, "px"))
	return n, err == nil && n > 0 && n <= 10_000
}

func (b *builder) video(n *node, st style) {
	var sources strings.Builder
	for _, s := range append([]*node{n}, n.children...) {
		if src := b.source(s); src != "" && (s == n || s.tag == "source") {
			sources.WriteString(`<source src="` + escape(src) + `"`)
			if kind := s.attr("type"); kind != "" {
				sources.WriteString(` type="` + escape(kind) + `"`)
			}
			sources.WriteString(">")
		}
	}
	if sources.Len() == 0 {
		b.warn("left out: a video without a usable address", n)
	} else {
		b.hoist(figure{markup: "<video>" + sources.String() + "</video>"})
	}
	b.fallback(n, st)
}

// audio is an embed of its own here: in the format it can only accompany an image.
func (b *builder) audio(n *node, st style) {
	src := b.source(n)
	for _, child := range n.children {
		if src == "" && child.tag == "source" {
			src = b.source(child)
		}
	}
	if src == "" {
		b.warn("left out: audio without a usable address", n)
	} else {
		b.hoist(figure{class: interactive, markup: `<iframe><audio controls src="` + escape(src) + `"></audio></iframe>`})
	}
	b.fallback(n, st)
}

// fallback lays out what a video or audio element holds besides its sources: text for those who cannot play it.
func (b *builder) fallback(n *node, st style) {
	for _, child := range n.children {
		if child.tag != "source" && child.tag != "track" {
			b.node(child, st)
		}
	}
}

// figure lays out a figure: its media, each as a figure of the format, and its caption at the first of them. The text of a
// figure with one medium is its caption even where it is not marked as such.
func (b *builder) figure(n *node, st style) {
	b.flush()
	start := len(b.blocks)
	b.flow(n, style{tag: paragraph, format: st.format})
	b.flush()
	found := b.blocks[start:]
	var figures, captions int
	for i := range found {
		switch found[i].tag {
		case figureTag:
			figures++
		case caption:
			captions++
		}
	}
	captionTag := caption
	if figures == 1 && captions == 0 {
		captionTag = paragraph
	}
	b.blocks = append(b.blocks[:start], captioned(found, captionTag)...)
}

// captioned moves the text blocks called tag into the first figure that has no caption. Captions without a figure become
// paragraphs.
func captioned(blocks []block, tag string) []block {
	var rest []block
	var text []run
	target := -1
	for _, bl := range blocks {
		switch {
		case bl.tag == figureTag && target < 0 && bl.figure.caption == nil:
			target = len(rest)
			rest = append(rest, bl)
		case bl.tag == tag && bl.runs != nil:
			if text != nil {
				text = append(text, run{breaks: 1})
			}
			text = append(text, bl.runs...)
		default:
			rest = append(rest, bl)
		}
	}
	switch {
	case text == nil:
	case target >= 0:
		rest[target].figure.caption = tidy(text)
	default:
		rest = append(rest, block{tag: paragraph, runs: tidy(text)})
	}
	return rest
}

// hoist ends the text so far and puts the figure after it. The same medium twice in a row (a late-loading image and its
// twin in noscript) is one.
func (b *builder) hoist(f figure) {
	b.flush()
	if last := len(b.blocks) - 1; last >= 0 && b.blocks[last].tag == figureTag && b.blocks[last].figure.markup == f.markup {
		return
	}
	b.size += len(f.markup) + 64
	b.blocks = append(b.blocks, block{tag: figureTag, figure: f})
}
