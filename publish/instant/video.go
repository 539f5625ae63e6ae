package instant

import (
	"cmp"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/inline"
	"github.com/feedwire/feedwire/publish/instant/selector"
)

func (b *builder) video(r *rule, n *html.Node, st style) bool {
	return b.playable(r, n, st, "video", func(at *html.Node, sources string) figure {
		flags := filterWords("controls loop data-fade data-fb-disable-autoplay", func(flag string) bool {
			return hypertext.HasAttr(at, flag) || flag == "controls" && b.value(r, "video.controls", n) != "" ||
				flag == "data-fb-disable-autoplay" && b.value(r, "video.playback", n) != ""
		})
		f := figure{kind: videoKind, mode: b.mode(r, n), markup: strings.TrimSpace("<video "+flags) + ">" + sources + "</video>"}
		if poster := b.poster(n, at); poster != "" {
			f.poster = image(poster)
		}
		if hypertext.HasClass(n, "fb-feed-cover") {
			f.extra = "fb-feed-cover"
		}
		return f
	})
}

// audio accompanies an image inside a figure. Elsewhere it becomes an embed, because the format has no audio of its own.
func (b *builder) audio(r *rule, n *html.Node, st style) bool {
	return b.playable(r, n, st, "audio", func(at *html.Node, sources string) figure {
		flags := attr("title", cmp.Or(b.value(r, "audio.title", n), hypertext.Attr(at, "title")))
		for _, flag := range []string{"autoplay", "muted"} {
			value := strings.ToLower(hypertext.Attr(at, flag))
			if hypertext.HasAttr(at, flag) && (value == "" || value == "true" || value == flag) || b.value(r, "audio."+flag, n) != "" {
				flags += " " + flag
			}
		}
		f := figure{kind: interactiveKind, markup: "<iframe><audio controls>" + sources + "</audio></iframe>"}
		if st.in&(inFigure|inSlideshow) != 0 {
			f.companion, f.audio = true, "<audio"+flags+">"+sources+"</audio>"
		}
		return f
	})
}

// playable lays out a video or audio, as medium says, with its fallback content. figureOf gets its element and the markup of its
// sources.
func (b *builder) playable(r *rule, n *html.Node, st style, medium string, figureOf func(at *html.Node, sources string) figure) bool {
	sources, at := b.sources(r, n, medium)
	switch {
	case sources == "" && (at != n || r.Properties[medium+".url"] != nil || !media[medium].Match(n)):
		return false
	case sources == "":
		b.warnUnusable(n, "the "+medium+" has no http or https address", b.adds(func() { b.remainder(n, st) }))
	case at == n:
		b.hoist(figureOf(at, sources))
		b.remainder(n, st)
	default:
		if r.Properties[medium+".url"] == nil {
			b.warnReplaced(r, n, nil, sources)
		}
		b.medium(r, n, at, figureOf(at, sources), st)
		b.fallback(at, st)
	}
	return true
}

// media select the elements of video and audio.
var media = map[string]*selector.Selector{
	"video": selector.MustParse("video, amp-video"), "audio": selector.MustParse("audio, amp-audio"),
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

// sources returns the markup of the sources of a video or audio, and the element that has them: n or its first descendant of
// that name.
func (b *builder) sources(r *rule, n *html.Node, medium string) (string, *html.Node) {
	at := cmp.Or(b.find(media[medium], n), n)
	var sb strings.Builder
	write := func(ref, kind string) {
		if src := b.resolve(ref, "http", "https"); src != "" {
			sb.WriteString("<source" + attr("src", src) + attr("type", kind) + ">")
		}
	}
	if g := r.Properties[medium+".url"]; g != nil {
		src, from := b.getText(g, n)
		if src != "" {
			b.warnReplaced(r, n, from, src)
		}
		kind := b.value(r, medium+".type", n)
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

// object lays out what n shows where it cannot be played, or a link to its file.
func (b *builder) object(n *html.Node, st style) {
	if b.adds(func() { b.flow(n, st) }) {
		b.warn(codeUnwrapped, "unwrapped: "+n.Data+" has no counterpart in the format; its content is kept", n)
		return
	}
	if address := b.objectAddress(n); address != "" {
		b.warn(codeFlattened, "replaced by a link: "+n.Data+" has no counterpart in the format", n)
		line := &html.Node{Type: html.ElementNode}
		line.AppendChild(&html.Node{Type: html.TextNode, Data: address})
		st.Link = inline.Link{Href: address}
		b.container(line, paragraph, st)
		return
	}
	b.warn(codeLeftOut, "left out: "+n.Data+" has no http or https address", n)
}

// objectAddress returns the address of the file that an object or embed shows, or an empty string.
func (b *builder) objectAddress(n *html.Node) string {
	refs := []string{hypertext.Attr(n, "data"), hypertext.Attr(n, "src")}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if name := hypertext.Attr(c, "name"); c.DataAtom == atom.Param && hypertext.HasWord("src url movie filename", strings.ToLower(name)) {
			refs = append(refs, hypertext.Attr(c, "value"))
		}
	}
	for _, ref := range refs {
		if address := b.resolve(ref, "http", "https"); address != "" {
			return address
		}
	}
	return ""
}

// isMedium reports whether n is a medium with an address.
func (b *builder) isMedium(n *html.Node) bool {
	switch n.Data {
	case "img", "amp-img", "amp-anim", "iframe", "amp-iframe":
		return b.source(n) != ""
	case "video", "amp-video", "audio", "amp-audio":
		sources, _ := b.sources(&rule{}, n, strings.TrimPrefix(n.Data, "amp-"))
		return sources != ""
	case "object", "embed":
		return b.objectAddress(n) != ""
	}
	return false
}

// players are the pages of videos, each with the address at which the video can be embedded.
var players = []struct {
	page   *regexp.Regexp
	player string
}{
	{regexp.MustCompile(`^(?i:https?://(?:www\.|m\.)?youtu\.be)/([\w-]+).*`), "https://www.youtube.com/embed/$1"},
	{regexp.MustCompile(`^(?i:https?://(?:www\.|m\.)?youtube\.com)/watch/?\?(?:[^#]*&)?v=([\w-]+).*`), "https://www.youtube.com/embed/$1"},
	{regexp.MustCompile(`^(?i:https?://(?:www\.|m\.)?youtube\.com)/(?:shorts|live|v)/([\w-]+).*`), "https://www.youtube.com/embed/$1"},
	{regexp.MustCompile(`^(?i:https?://(?:www\.|m\.)?vimeo\.com)/([0-9]+)(?:[/?#].*)?$`), "https://player.vimeo.com/video/$1"},
	{regexp.MustCompile(`^(?i:https?://(?:www\.|m\.)?dailymotion\.com)/video/(\w+).*`), "https://www.dailymotion.com/embed/video/$1"},
}
