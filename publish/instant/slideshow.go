package instant

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// slideshow lays out the images in n as one figure. A single image becomes a plain figure, anything else follows the
// slideshow.
func (b *builder) slideshow(_ *rule, n *html.Node, _ style) {
	found := joinCompanions(b.collect(func() { b.flow(n, style{tag: paragraph, in: inBody | inFigure | inSlideshow}) }))
	show := figure{kind: slideshowKind}
	var rest []*block
	known := make(map[string]int)
	for _, bl := range found {
		if bl.tag != figureTag || bl.figure.kind != imageKind {
			rest = append(rest, bl)
			continue
		}
		f := *bl.figure
		f.mode = ""
		show.audio, f.audio = cmp.Or(show.audio, f.audio), ""
		at, twice := known[f.src]
		switch {
		case !twice:
			known[f.src] = len(show.slides)
			show.slides = append(show.slides, f)
		case show.slides[at].legend.empty():
			show.slides[at].legend = f.legend
		default: // a repeated image with another caption
			rest = append(rest, f.legend.paragraphs()...)
		}
	}
	if f, ok := show.finished(); ok {
		rest = append([]*block{{tag: figureTag, figure: &f}}, rest...)
	}
	b.blocks = append(b.blocks, moveCaptions(rest)...)
}

// finished returns the slideshow, or its image if it has only one.
func (f figure) finished() (figure, bool) {
	if len(f.slides) == 1 {
		only := f.slides[0]
		only.audio = cmp.Or(only.audio, f.audio)
		return only, true
	}
	return f, len(f.slides) > 0
}

// jetpack lays out a slideshow from a list of images in an attribute.
func (b *builder) jetpack(r *rule, n *html.Node, st style) bool {
	data := hypertext.Attr(n, "data-gallery")
	b.replace(&data, r, "jetpack.data-gallery", n)
	var images []struct{ Src, Caption, Alt string }
	if json.Unmarshal([]byte(data), &images) != nil || len(images) == 0 {
		return false
	}
	show := figure{kind: slideshowKind}
	for _, entry := range images {
		src := b.resolve(entry.Src, "http", "https")
		if src == "" {
			b.warn(codeLeftOut, "left out: an image of the gallery has no http or https address", n)
			continue
		}
		f := figure{src: src, markup: image(src)}
		if words, err := hypertext.Parse(entry.Caption); err == nil {
			for _, bl := range b.collect(func() { b.flow(words.Root, style{tag: caption, in: inText | inCaption}) }) {
				f.legend.add(bl)
			}
			f.legend = f.legend.tidy()
		}
		b.size += len(src)
		show.slides = append(show.slides, f)
	}
	show, ok := show.finished()
	if !ok {
		return false
	}
	b.hoist(show)
	b.flow(n, st)
	return true
}

// geotag lays out the place of the figure around n.
func (b *builder) geotag(r *rule, n *html.Node, _ style) bool {
	data := b.textOf(n)
	b.replace(&data, r, "map.geotag", n)
	data = trailingComma.ReplaceAllStringFunc(data, func(found string) string { return strings.TrimPrefix(found, ",") })
	safe, err := json.Marshal(json.RawMessage(data)) // compact, and escaped for HTML
	if err != nil || safe[0] != '{' {
		return false
	}
	b.hoist(figure{kind: mapKind, companion: true, geotag: `<script type="application/json" class="op-geotag">` + string(safe) + "</script>"})
	return true
}

// trailingComma matches a comma before the end of a list or an object, and strings, which may look like that.
var trailingComma = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|,\s*[\]}]`)

func (b *builder) mapFigure(_ *rule, n *html.Node, _ style) {
	found := b.collect(func() { b.flow(n, style{tag: paragraph, in: inBody | inFigure}) })
	if slices.ContainsFunc(found, func(bl *block) bool { return bl.tag == figureTag && bl.figure.companion && bl.figure.geotag != "" }) {
		found = slices.Insert(found, 0, &block{tag: figureTag, figure: &figure{kind: mapKind}})
	} else {
		b.warnUnusable(n, "the map has no geotag", len(found) > 0)
	}
	b.blocks = append(b.blocks, moveCaptions(joinCompanions(found))...)
}
