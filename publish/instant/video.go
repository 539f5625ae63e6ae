package instant

import (
	"cmp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/rules"
)

func (b *builder) video(r *rules.Rule, n *html.Node, st style) bool {
	sources, at := b.sources(r, n, "video.url", "video.type", atom.Video, "amp-video")
	if sources == "" {
		if at == nil || at != n {
			return false
		}
		b.warn(codeLeftOut, "left out: the video has no http or https address", n)
		b.remainder(n, st)
		return true
	}
	flags := ""
	for _, flag := range []string{"controls", "loop", "data-fade", "data-fb-disable-autoplay"} {
		if hypertext.HasAttr(at, flag) || flag == "controls" && b.hasProperty(r, "video.controls", n) ||
			flag == "data-fb-disable-autoplay" && b.hasProperty(r, "video.playback", n) {
			flags += " " + flag
		}
	}
	f := figure{kind: videoKind, mode: b.mode(r, n), markup: "<video" + flags + ">" + sources + "</video>"}
	if poster := b.poster(n, at); poster != "" {
		f.poster = image(poster)
	}
	if hypertext.HasClass(n, "fb-feed-cover") {
		f.extra = "fb-feed-cover"
	}
	b.playable(r, n, at, f, st)
	return true
}

// poster returns the address of the poster image of the video at: its attribute, or the image before it in n.
func (b *builder) poster(n, at *html.Node) string {
	if src := b.resolve(hypertext.Attr(at, "poster"), "http", "https"); src != "" || at == n {
		return src
	}
	for c := n.FirstChild; c != nil && c != at; c = hypertext.Following(c, n) {
		if src := b.source(c); c.DataAtom == atom.Img && src != "" {
			b.markShown(c, n)
			return src
		}
	}
	return ""
}

// playable lays out a video or audio with its fallback content.
func (b *builder) playable(r *rules.Rule, n, at *html.Node, f figure, st style) {
	if at != n {
		b.medium(r, n, at, f, st)
		b.fallback(at, st)
		return
	}
	b.hoist(f)
	b.remainder(n, st)
}

// sources returns the markup of the sources of a video or audio, and the element that has them: n or the first descendant
// with the tag.
func (b *builder) sources(r *rules.Rule, n *html.Node, urlKey, typeKey string, tag atom.Atom, other string) (string, *html.Node) {
	at := n
	for c := n; c != nil; c = hypertext.Following(c, n) {
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
		if src := b.resolve(ref, "http", "https"); src != "" {
			sb.WriteString("<source" + attr("src", src) + attr("type", kind) + ">")
		}
	}
	if r.Properties[urlKey] != nil {
		src, from := b.property(r, urlKey, n)
		kind, _ := b.property(r, typeKey, n)
		if kind == "" && from != nil {
			kind = hypertext.Attr(from, "type")
		}
		write(src, kind)
		if at == n && from != nil && from.DataAtom != atom.Source {
			at = from
		}
		return sb.String(), at
	}
	write(b.source(at), hypertext.Attr(at, "type"))
	for c := at.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Source {
			write(b.source(c), hypertext.Attr(c, "type"))
		}
	}
	return sb.String(), at
}

// audio accompanies an image inside a figure. Elsewhere it becomes an embed, because the format has no audio of its own.
func (b *builder) audio(r *rules.Rule, n *html.Node, st style) bool {
	sources, at := b.sources(r, n, "audio.url", "audio.type", atom.Audio, "amp-audio")
	if sources == "" {
		if at != n {
			return false
		}
		b.warn(codeLeftOut, "left out: the audio has no http or https address", n)
		b.remainder(n, st)
		return true
	}
	title, _ := b.property(r, "audio.title", n)
	flags := attr("title", cmp.Or(title, hypertext.Attr(at, "title")))
	for _, flag := range []string{"autoplay", "muted"} {
		if value := strings.ToLower(hypertext.Attr(at, flag)); hypertext.HasAttr(at, flag) && (value == "" || value == "true" || value == flag) ||
			b.hasProperty(r, "audio."+flag, n) {
			flags += " " + flag
		}
	}
	f := figure{kind: interactiveKind, markup: "<iframe><audio controls>" + sources + "</audio></iframe>"}
	if st.in&(rules.InFigure|rules.InSlideshow) != 0 {
		f.kind, f.audio = audioKind, "<audio"+flags+">"+sources+"</audio>"
	}
	b.playable(r, n, at, f, st)
	return true
}
