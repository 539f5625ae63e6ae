package instant

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/inline"
)

type kind byte

// The kinds.
const (
	imageKind kind = iota
	videoKind
	interactiveKind
	slideshowKind
	mapKind
	adKind
	trackerKind
)

// kindClasses are the classes of figure elements.
var kindClasses = map[kind]string{
	interactiveKind: "op-interactive", slideshowKind: "op-slideshow", mapKind: "op-map", adKind: "op-ad", trackerKind: "op-tracker",
}

// figure is a medium with its caption and accompaniments.
type figure struct {
	kind   kind
	extra  string // additional class: fb-feed-cover or op-ad-default
	mode   string // value of data-mode
	src    string // address of an image
	own    string // value of the src attribute, if src is a larger version
	alt    string // alternative text, the caption of an image without one
	small  bool   // an image too small for a cover
	poster string // markup of a video's poster image
	markup string // markup of the medium
	slides []figure
	geotag string // markup
	audio  string // markup
	legend legend

	companion bool // a map that is only a geotag, or an embed of audio, that can join another figure instead
}

// hoist finishes the current block and adds the figure after it. It drops a repetition of the previous figure, like the
// noscript twin of a lazy image.
func (b *builder) hoist(f figure) {
	b.flush()
	if last := len(b.blocks) - 1; last >= 0 && b.blocks[last].tag == figureTag {
		if before := b.blocks[last].figure; before.kind == f.kind && before.markup == f.markup && f.markup != "" {
			return
		}
	}
	b.size += len(f.markup) + len(f.alt) + 64
	b.blocks = append(b.blocks, &block{tag: figureTag, figure: &f})
}

// figureElement lays out an element around media: one figure for each medium, with the caption at the first. If there is
// one medium and no marked caption, text becomes the caption.
func (b *builder) figureElement(r *rule, n *html.Node, st style) {
	found := joinCompanions(b.collect(func() { b.flow(n, style{tag: paragraph, in: inBody | inFigure, Format: st.Format}) }))
	figures, captions := 0, 0
	for _, bl := range found {
		switch bl.tag {
		case figureTag:
			figures++
		case caption, captionTitle, captionSubtitle:
			captions++
		}
	}
	if figures == 1 && captions == 0 {
		captionParagraphs(found)
	}
	if figures == 0 && captions > 0 {
		found = mergeQuote(found)
	}
	found = moveCaptions(found)
	if len(found) > 0 && found[0].tag == figureTag {
		f := found[0].figure
		if f.mode == "" && (f.kind == imageKind || f.kind == videoKind) {
			f.mode = b.mode(r, n)
		}
		if hypertext.HasClass(n, "fb-feed-cover") && f.kind == videoKind {
			f.extra = "fb-feed-cover"
		}
	}
	b.blocks = append(b.blocks, found...)
}

// mergeQuote turns a quote and its captions into one pull quote with a source. It returns blocks unchanged if there is
// anything else.
func mergeQuote(blocks []*block) []*block {
	var quote *block
	var l legend
	for _, bl := range blocks {
		if (bl.tag == "blockquote" || bl.tag == "aside") && quote == nil && bl.cite == nil {
			quote = bl
		} else if !l.add(bl) {
			return blocks
		}
	}
	if quote == nil {
		return blocks
	}
	quote.tag = "aside"
	for _, words := range l.paragraphs() {
		quote.cite = inline.Join(quote.cite, words.runs, 1)
	}
	return []*block{quote}
}

// mode returns the data-mode of a figure, from n or from a property of the rule.
func (b *builder) mode(r *rule, n *html.Node) string {
	for _, name := range []string{"aspect-fit", "aspect-fit-only", "fullscreen", "non-interactive"} {
		if hypertext.Attr(n, "data-mode") == name || b.value(r, name, n) != "" {
			return name
		}
	}
	return ""
}

// joinCompanions merges media that belong together: an image with the video after it, as the poster; audio or a place
// with the image, slideshow or map beside it.
func joinCompanions(blocks []*block) []*block {
	out := make([]*block, 0, len(blocks))
	var target *figure // the first that can have audio or a place
	for _, bl := range blocks {
		if bl.tag != figureTag {
			out = append(out, bl)
			continue
		}
		f, last := bl.figure, len(out)-1
		switch {
		case f.companion && target != nil && f.audio != "" && target.audio == "":
			target.audio = f.audio
			continue
		case f.companion && target != nil && f.geotag != "" && target.geotag == "":
			target.geotag = f.geotag
			continue
		case f.kind == videoKind && f.poster == "" && last >= 0 && out[last].tag == figureTag && out[last].figure.isPoster():
			f.poster = out[last].figure.markup
			if target == out[last].figure {
				target = f
			}
			out = out[:last]
		}
		if target == nil && !f.companion && f.kind != interactiveKind && f.kind < adKind {
			target = f
		}
		f.companion = false
		out = append(out, bl)
	}
	return out
}

// isPoster reports whether the figure is an image without a caption or audio, so that it can be the poster of a video.
func (f *figure) isPoster() bool { return f.kind == imageKind && f.legend.empty() && f.audio == "" }

func (f *figure) write(sb *strings.Builder) {
	sb.WriteString("<figure" + attr("class", strings.TrimSpace(kindClasses[f.kind]+" "+f.extra)) + attr("data-mode", f.mode) + ">" +
		f.poster + f.markup)
	for i := range f.slides {
		f.slides[i].write(sb)
	}
	if f.legend.empty() && f.alt != "" {
		f.legend[legendText].runs = []inline.Run{{Text: f.alt}}
	}
	f.legend.write(sb)
	sb.WriteString(f.geotag)
	if f.kind != interactiveKind { // the markup of an embed has its audio
		sb.WriteString(f.audio)
	}
	sb.WriteString("</figure>")
}
