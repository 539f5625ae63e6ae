package body

import (
	"cmp"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// player is an open element of video, audio or other media that is not allowed. A link replaces it at its end.
type player struct {
	start   html.Token
	address string // the first; empty if there is none yet
	shown   int    // bytes in out where it began
}

// replaced are the elements that become players.
var replaced = hypertext.WordSet("audio video object")

// play opens a player.
func (w *writer) play(tag string, t html.Token) {
	address := w.address(t)
	if tag == "object" {
		data, _ := attr(t, "data")
		address = w.resolve(data, "http", "https")
	}
	w.playing = append(w.playing, player{t, address, w.out.Len()})
}

// playSource remembers an address of the player around a source or a param.
func (w *writer) playSource(t html.Token) {
	if len(w.playing) == 0 {
		return
	}
	last := &w.playing[len(w.playing)-1]
	address := w.address(t)
	if name, _ := attr(t, "name"); hypertext.HasWord("src url movie filename", strings.ToLower(name)) {
		value, _ := attr(t, "value")
		address = w.resolve(value, "http", "https")
	}
	last.address = cmp.Or(last.address, address)
}

// stop ends the innermost player and writes its link. An object that shows other content needs none.
func (w *writer) stop() {
	last := w.playing[len(w.playing)-1]
	w.playing = w.playing[:len(w.playing)-1]
	switch {
	case named(last.start.Data) == "object" && w.out.Len() > last.shown:
	case last.address == "":
		w.warn("left out: "+last.start.Data+" without a usable address", last.start)
	default:
		w.warn("replaced by a link: "+last.start.Data+" is not allowed here", last.start)
		w.frameLink(last.address, last.start)
	}
}
