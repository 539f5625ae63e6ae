package instant

import (
	"strings"

	"golang.org/x/net/html"
)

// kind is what a figure shows.
type kind byte

// The kinds. Sound that stands in no figure with an image is an embed.
const (
	imageKind kind = iota
	videoKind
	audioKind  // only until its figure is complete
	geotagKind // as audioKind
	interactiveKind
	slideshowKind
	mapKind
	adKind
	trackerKind
)

// class is the class of the figure's element.
func (k kind) class() string {
	switch k {
	case interactiveKind:
		return "op-interactive"
	case slideshowKind:
		return "op-slideshow"
	case mapKind:
		return "op-map"
	case adKind:
		return "op-ad"
	case trackerKind:
		return "op-tracker"
	}
	return ""
}

// figure is a medium that stands alone in the body, with what belongs to it.
type figure struct {
	kind   kind
	extra  string // a further class: fb-feed-cover, op-ad-default
	mode   string // how an image or a video is shown: the value of data-mode
	src    string // of an image
	own    string // what its src says, where a larger one is shown
	alt    string // what an image shows, for its caption where it has none
	small  bool   // an image of less than 1024 by 1024 pixels: no cover
	poster string // of a video: markup of the image
	markup string // of the medium, ready to be written
	slides []figure
	geotag string // markup
	audio  string // markup
	legend legend
}

// hoist ends the text so far and puts the figure after it. The same medium twice in a row (a late-loading image and its
// twin in noscript) is one.
func (b *builder) hoist(f figure) {
	b.flush()
	if last := len(b.blocks) - 1; last >= b.start && b.blocks[last].tag == figureTag {
		if before := b.blocks[last].figure; before.kind == f.kind && before.markup == f.markup && f.markup != "" {
			return
		}
	}
	b.size += len(f.markup) + len(f.alt) + 64
	b.blocks = append(b.blocks, &block{tag: figureTag, figure: &f})
}

// figureBox lays out what stands around media: each medium as a figure of the format, and the caption at the first of
// them. The text of a figure with one medium is its caption even where it is not marked as such.
func (b *builder) figureBox(r *rule, n *html.Node, st style) bool {
	found := b.gather(func() { b.flow(n, style{tag: paragraph, in: inBody | inFigure, format: st.format}) })
	found = joined(found)
	figures, captions := 0, 0
	for i := range found {
		switch found[i].tag {
		case figureTag:
			figures++
		case caption, captionTitle, captionSubtitle:
			captions++
		}
	}
	if figures == 1 && captions == 0 {
		for i := range found {
			if found[i].tag == paragraph {
				found[i].tag = caption
			}
		}
	}
	if figures == 0 && captions > 0 {
		found = attributed(found)
	}
	found = captioned(found)
	if len(found) > 0 && found[0].tag == figureTag {
		f := found[0].figure
		if f.mode == "" && (f.kind == imageKind || f.kind == videoKind) {
			f.mode = b.mode(r, n)
		}
		if hasClass(n, "fb-feed-cover") && f.kind == videoKind {
			f.extra = "fb-feed-cover"
		}
	}
	b.blocks = append(b.blocks, found...)
	return true
}

// attributed makes the caption of a quote its source: a quote in a figure is a pull quote.
func attributed(blocks []*block) []*block {
	var quote *block
	var l legend
	for _, bl := range blocks {
		if (bl.tag == "blockquote" || bl.tag == "aside") && quote == nil && bl.cite == nil {
			quote = bl
		} else if !l.take(bl) {
			return blocks
		}
	}
	if quote == nil {
		return blocks
	}
	quote.tag = "aside"
	for _, words := range l.paragraphs() {
		if quote.cite != nil {
			quote.cite = append(quote.cite, run{breaks: 1})
		}
		quote.cite = append(quote.cite, words.runs...)
	}
	return []*block{quote}
}

// mode is how a figure is shown, as n says or a property of the rule.
func (b *builder) mode(r *rule, n *html.Node) string {
	for _, name := range []string{"aspect-fit", "aspect-fit-only", "fullscreen", "non-interactive"} {
		if attr(n, "data-mode") == name || b.exists(r, name, n) {
			return name
		}
	}
	return ""
}

// joined makes one figure of what belongs together: an image and the video after it, which it stands for until that
// plays; sound or a place and the image, slideshow or map they accompany.
func joined(blocks []*block) []*block {
	out := make([]*block, 0, len(blocks))
	target := -1 // the first figure that sound or a place can go with
	for _, bl := range blocks {
		last := len(out) - 1
		switch {
		case bl.tag != figureTag:
		case bl.figure.kind == audioKind || bl.figure.kind == geotagKind:
			if target < 0 {
				break
			}
			to := out[target].figure
			if bl.figure.kind == audioKind && to.audio == "" {
				to.audio = bl.figure.audio
				continue
			}
			if bl.figure.kind == geotagKind && to.geotag == "" {
				to.geotag = bl.figure.geotag
				continue
			}
		case bl.figure.kind == videoKind && last >= 0 && out[last].tag == figureTag && out[last].figure.kind == imageKind &&
			out[last].figure.legend.empty() && bl.figure.poster == "" && out[last].figure.audio == "":
			bl.figure.poster = out[last].figure.markup
			out[last] = bl
			continue
		}
		if target < 0 && bl.tag == figureTag && bl.figure.kind != interactiveKind && bl.figure.kind < adKind &&
			bl.figure.kind != audioKind && bl.figure.kind != geotagKind {
			target = len(out)
		}
		bl.figure.standAlone()
		out = append(out, bl)
	}
	return out
}

// standAlone makes a figure of its own of sound or a place that accompanies none.
func (f *figure) standAlone() {
	switch {
	case f == nil:
	case f.kind == audioKind:
		f.kind, f.audio = interactiveKind, ""
	case f.kind == geotagKind:
		f.kind = mapKind
	}
}

// shows reports that the figure is of that image, in whatever size.
func (f *figure) shows(src string) bool { return f.src == src || f.own == src }

func (f *figure) write(sb *strings.Builder) {
	sb.WriteString("<figure")
	writeClass(sb, strings.TrimSpace(f.kind.class()+" "+f.extra))
	if f.mode != "" {
		sb.WriteString(` data-mode="` + f.mode + `"`)
	}
	sb.WriteString(">" + f.poster + f.markup)
	for i := range f.slides {
		f.slides[i].write(sb)
	}
	if f.legend.empty() && f.alt != "" {
		f.legend.text = []run{{text: f.alt}}
	}
	f.legend.write(sb)
	sb.WriteString(f.geotag + f.audio + "</figure>")
}
