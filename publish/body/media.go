package body

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

const minimum = 2 // pixels; smaller media cannot be seen

// image is the origin of an image.
type image struct {
	src      string
	lazy     bool // a script of the page would load it
	noscript bool // it is for readers without scripts
}

func (w *writer) image(t html.Token) {
	img := image{src: w.address(t), lazy: lazy(t), noscript: w.noscript > 0}
	twin := w.shown.src != "" && img.noscript != w.shown.noscript && (img.src == w.shown.src || img.lazy || w.shown.lazy)
	switch {
	case w.small(t):
		w.warn("left out: an image too small to be seen", t)
	case img.src == "":
		w.warn("left out: an image without a usable address", t)
	case !w.tags["img"]:
		w.warn("left out: images are not allowed here", t)
	case twin: // the same image for readers with and without scripts
	default:
		w.single("img", t)
		w.shown = img
	}
}

// single writes an element without content.
func (w *writer) single(tag string, t html.Token) {
	w.put(strings.TrimSuffix(w.tag(tag, t), ">")+"/>", true)
}

// small reports a tracking pixel or a frame of that size.
func (w *writer) small(t html.Token) bool {
	width, wok := size(t, "width")
	height, hok := size(t, "height")
	return wok && hok && max(width, height) < minimum
}

// size returns a length in pixels from an attribute, otherwise from the style.
func size(t html.Token, key string) (n int, ok bool) {
	value, there := attr(t, key)
	if !there {
		style, _ := attr(t, "style")
		for declaration := range strings.SplitSeq(style, ";") {
			name, v, _ := strings.Cut(declaration, ":")
			if strings.TrimSpace(name) == key {
				value = strings.TrimSpace(v)
			}
		}
	}
	pixels, err := strconv.ParseUint(strings.TrimSuffix(value, "px"), 10, 31)
	return int(pixels), err == nil
}

// source writes a source or track of a picture, video or audio.
func (w *writer) source(t html.Token) {
	tag, around := t.Data, w.top()
	_, wanted := w.value(tag, "src", t)
	if around == "picture" {
		_, wanted = w.value(tag, "srcset", t)
	}
	switch {
	case !wanted || !w.tags[tag] || (around != "picture" && around != "video" && around != "audio"):
		if _, shown := attr(t, "src"); shown { // that of a picture adds nothing to its image
			w.warn("left out: "+tag+" without a usable address or out of place", t)
		}
	case around == "picture": // only its image is visible
		markup := strings.TrimSuffix(w.tag(tag, t), ">") + "/>"
		if top := &w.open[len(w.open)-1]; w.written < len(w.open) && len(top.wait) < 16*hypertext.MaxURL {
			top.wait += markup
		}
	default:
		w.single(tag, t)
	}
}

// frame writes the frame of a listed host, and a link instead of any other.
func (w *writer) frame(t html.Token) {
	src := w.address(t)
	if player := playerAddress(t); player != "" {
		src = w.resolve(player, "https")
		t.Attr = append([]html.Attribute{{Key: "src", Val: src}}, t.Attr...)
	}
	switch {
	case src == "":
		w.warn("left out: a frame without a usable address", t)
	case w.small(t):
		w.warn("left out: a frame too small to be seen", t)
	case w.tags["iframe"] && w.listed(src):
		w.put(w.tag("iframe", t)+"</iframe>", true)
	default:
		w.warn("replaced by a link: a frame of a host that is not listed", t)
		w.frameLink(src, t)
	}
}

// playerAddress returns the address of the player that a script would make of an element, or an empty string.
func playerAddress(t html.Token) string {
	value := func(key, missing string) string {
		s, _ := attr(t, key)
		return url.PathEscape(cmp.Or(s, missing))
	}
	youtube, brightcove := value("data-videoid", ""), value("data-video-id", "")
	switch {
	case t.Data == "amp-youtube" && youtube != "":
		return "https://www.youtube.com/embed/" + youtube
	case brightcove != "" && value("data-account", "") != "" && hypertext.HasWord("amp-brightcove video video-js", t.Data):
		return "https://players.brightcove.net/" + value("data-account", "") + "/" + value("data-player", "default") + "_" +
			value("data-embed", "default") + "/index.html?videoId=" + brightcove
	}
	return ""
}

func (w *writer) frameLink(src string, t html.Token) {
	text, _ := attr(t, "title")
	if hypertext.Blank(text) {
		text = src
	}
	text = html.EscapeString(hypertext.Cut(text, maxText))
	w.cell()
	if w.tags["a"] && !w.within("a") {
		text = `<a href="` + html.EscapeString(src) + `">` + text + "</a>"
	}
	w.broken = true
	w.put(text, true)
	w.broken = true
}

// listed reports whether frames with this address are allowed.
func (w *writer) listed(src string) bool {
	u, err := url.Parse(src)
	if err != nil || u.User != nil || strings.HasPrefix(u.Host, ".") {
		return false
	}
	host := strings.ToLower(u.Hostname())
	return slices.ContainsFunc(w.hosts, func(known string) bool { return host == known || strings.HasSuffix(host, "."+known) })
}
