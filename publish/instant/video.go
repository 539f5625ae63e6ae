package instant

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func (b *builder) video(r *rule, n *html.Node, st style) bool {
	sources, at := b.sources(r, n, "video.url", "video.type", atom.Video, "amp-video")
	if sources == "" {
		if at == nil || at != n {
			return false
		}
		b.warn(codeLeftOut, "left out: a video without a usable address", n)
		b.rest(n, st)
		return true
	}
	var flags strings.Builder
	for _, flag := range []string{"controls", "loop", "data-fade", "data-fb-disable-autoplay"} {
		if hasAttr(at, flag) || flag == "controls" && b.exists(r, "video.controls", n) ||
			flag == "data-fb-disable-autoplay" && b.exists(r, "video.playback", n) {
			flags.WriteString(" " + flag)
		}
	}
	f := figure{kind: videoKind, mode: b.mode(r, n), markup: "<video" + flags.String() + ">" + sources + "</video>"}
	if poster := b.poster(n, at); poster != "" {
		f.poster = `<img src="` + escape(poster) + `">`
	}
	if hasClass(n, "fb-feed-cover") {
		f.extra = "fb-feed-cover"
	}
	b.shownWith(r, n, at, f, st)
	return true
}

// poster is the address of the image that stands for the video at until it plays: its own, or the one before it in n.
func (b *builder) poster(n, at *html.Node) string {
	if src := b.resolve(attr(at, "poster"), "http", "https"); src != "" || at == n {
		return src
	}
	for c := n.FirstChild; c != nil && c != at; c = following(c, n) {
		if src := b.source(c); c.DataAtom == atom.Img && src != "" {
			b.take(c, n)
			return src
		}
	}
	return ""
}

// shownWith shows a video or sound: what its element holds besides sources is for those who cannot play it, and stays.
func (b *builder) shownWith(r *rule, n, at *html.Node, f figure, st style) {
	if at != n {
		b.shown(r, n, at, f, st)
		b.content(at, st)
		return
	}
	b.hoist(f)
	b.rest(n, st)
}

// sources is the markup of the sources of a video or of sound, and the element that has them: n or the first of that
// tag within it.
func (b *builder) sources(r *rule, n *html.Node, urlKey, typeKey string, tag atom.Atom, other string) (string, *html.Node) {
	at := n
	for c := n; c != nil; c = following(c, n) {
		if b.steps++; b.steps > b.maxSteps {
			return "", nil
		}
		if c.DataAtom == tag || c.Data == other {
			at = c
			break
		}
	}
	var sb strings.Builder
	write := func(ref, kind string) {
		src := b.resolve(ref, "http", "https")
		if src == "" {
			return
		}
		sb.WriteString(`<source src="` + escape(src) + `"`)
		if kind != "" {
			sb.WriteString(` type="` + escape(kind) + `"`)
		}
		sb.WriteString(">")
	}
	if r.props[urlKey] != nil {
		src, from := b.value(r, urlKey, n)
		kind, _ := b.value(r, typeKey, n)
		if kind == "" && from != nil {
			kind = attr(from, "type")
		}
		write(src, kind)
		if at == n && from != nil && from.DataAtom != atom.Source {
			at = from
		}
		return sb.String(), at
	}
	write(b.source(at), attr(at, "type"))
	for c := at.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Source {
			write(b.source(c), attr(c, "type"))
		}
	}
	return sb.String(), at
}

// audio accompanies an image where it stands in a figure with one. Else it is an embed, as the format has no sound alone.
func (b *builder) audio(r *rule, n *html.Node, st style) bool {
	sources, at := b.sources(r, n, "audio.url", "audio.type", atom.Audio, "amp-audio")
	if sources == "" {
		if at != n {
			return false
		}
		b.warn(codeLeftOut, "left out: audio without a usable address", n)
		b.rest(n, st)
		return true
	}
	var flags strings.Builder
	if title, _ := b.value(r, "audio.title", n); or(title, attr(at, "title")) != "" {
		flags.WriteString(` title="` + escape(or(title, attr(at, "title"))) + `"`)
	}
	for _, flag := range []string{"autoplay", "muted"} {
		if value := strings.ToLower(attr(at, flag)); hasAttr(at, flag) && (value == "" || value == "true" || value == flag) ||
			b.exists(r, "audio."+flag, n) {
			flags.WriteString(" " + flag)
		}
	}
	f := figure{kind: interactiveKind, markup: "<iframe><audio controls>" + sources + "</audio></iframe>"}
	if st.in&(inFigure|inSlideshow) != 0 {
		f.kind, f.audio = audioKind, "<audio"+flags.String()+">"+sources+"</audio>"
	}
	b.shownWith(r, n, at, f, st)
	return true
}
