package instant

import (
	"encoding/json"

	"golang.org/x/net/html"
)

// slideshow makes one figure of the images within n. With one image it is that image; what is no image stands after it.
func (b *builder) slideshow(_ *rule, n *html.Node, _ style) bool {
	found := joined(b.gather(func() { b.flow(n, style{tag: paragraph, in: inBody | inFigure | inSlideshow}) }))
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
		show.audio, f.audio = or(show.audio, f.audio), ""
		at, twice := known[f.src]
		switch {
		case !twice:
			known[f.src] = len(show.slides)
			show.slides = append(show.slides, f)
		case show.slides[at].legend.empty():
			show.slides[at].legend = f.legend
		default: // the image is there, its other words must not go
			rest = append(rest, f.legend.paragraphs()...)
		}
	}
	if f, ok := show.finished(); ok {
		rest = append([]*block{{tag: figureTag, figure: &f}}, rest...)
	}
	b.blocks = append(b.blocks, captioned(rest)...)
	return true
}

// finished is the slideshow, or the image where it has only one.
func (f figure) finished() (figure, bool) {
	if len(f.slides) == 1 {
		only := f.slides[0]
		only.audio = or(only.audio, f.audio)
		return only, true
	}
	return f, len(f.slides) > 0
}

// jetpack makes a slideshow of a list of images in an attribute.
func (b *builder) jetpack(r *rule, n *html.Node, st style) bool {
	data, _ := b.value(r, "jetpack.data-gallery", n)
	if r.props["jetpack.data-gallery"] == nil {
		data = attr(n, "data-gallery")
	}
	var images []struct{ Src, Caption, Alt string }
	if json.Unmarshal([]byte(data), &images) != nil || len(images) == 0 {
		return false
	}
	show := figure{kind: slideshowKind}
	for _, image := range images {
		src := b.resolve(image.Src, "http", "https")
		if src == "" {
			b.warn(codeLeftOut, "left out: an image of the gallery without a usable address", n)
			continue
		}
		f := figure{src: src, markup: `<img src="` + escape(src) + `">`}
		if words, err := parse(image.Caption); err == nil {
			for _, bl := range b.gather(func() { b.flow(words.root, style{tag: caption, in: inText | inCaption}) }) {
				f.legend.take(bl)
			}
			f.legend = f.legend.tidied()
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
