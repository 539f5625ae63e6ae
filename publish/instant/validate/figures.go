package validate

import (
	"encoding/json"
	"slices"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// MinCover is the minimum width and height of a cover image in pixels.
const MinCover = 1024

// figure checks a figure of the body. A figure without one of the op- classes shows an image or a video.
func (v *validator) figure(n *node) {
	visible := false
	switch {
	case n.class("op-slideshow"):
		visible = v.slideshow(n)
	case n.class("op-map"):
		visible = v.mapFigure(n)
	case n.class("op-ad") || n.class("op-tracker"):
		v.frame(n)
	case n.class("op-social"):
		v.find("deprecated", n, "op-social is deprecated")
		visible = v.frame(n)
	case n.class("op-interactive"):
		visible = v.frame(n)
	default:
		visible = v.visual(n)
	}
	v.visible = v.visible || visible
}

// cover checks a figure in the header.
func (v *validator) cover(n *node) {
	switch {
	case n.class("op-ad"):
		v.frame(n)
		return
	case n.class("op-slideshow"):
		v.slideshow(n)
		return
	}
	v.visual(n)
	for _, img := range n.all("img") {
		width, height := pixels(img.attr("width")), pixels(img.attr("height"))
		if width > 0 && height > 0 && min(width, height) < MinCover && n.child("video") == nil {
			v.find("cover-size", img, "the cover has %d×%d pixels", width, height)
		}
	}
}

// adTemplate checks the ads from which the consumer chooses.
func (v *validator) adTemplate(n *node) {
	defaults := 0
	for _, child := range n.children {
		if child.tag != "figure" || !child.class("op-ad") {
			v.misplaced(child, "an ad template")
			continue
		}
		if child.class("op-ad-default") {
			defaults++
		}
		v.frame(child)
	}
	if defaults > 1 {
		v.find("attribute", n, "%d ads have the class op-ad-default; at most one may", defaults)
	}
}

// visual checks an image or a video with its poster image and reports whether it shows one.
func (v *validator) visual(n *node) bool {
	modes := []string{"", "aspect-fit", "aspect-fit-only", "fullscreen", "non-interactive"}
	if mode := n.attr("data-mode"); !slices.Contains(modes, mode) {
		v.find("attribute", n, "data-mode has the unknown value %.40q", mode)
	}
	visible, media := false, 0
	for _, child := range n.children {
		switch child.tag {
		case "img":
			media++
			visible = v.address(child, "src") || visible
		case "video":
			media++
			visible = v.playable(child) || visible
		default:
			v.accompaniment(child)
		}
	}
	if media == 0 {
		v.find("figure", n, "the figure contains neither an image nor a video")
	}
	return visible
}

// playable checks the addresses of a video or audio and reports whether one is usable.
func (v *validator) playable(n *node) bool {
	sources := n.all("source")
	if len(sources) == 0 {
		return v.address(n, "src")
	}
	found := false
	for _, source := range sources {
		found = v.address(source, "src") || found
	}
	return found
}

// accompaniment checks what a figure contains besides its medium.
func (v *validator) accompaniment(n *node) {
	switch {
	case n.tag == "figcaption":
		v.caption(n)
	case n.tag == "audio":
		v.playable(n)
	case n.tag == "cite":
		v.text(n)
	case n.tag == "script" && n.class("op-geotag"):
		v.geotag(n)
	default:
		v.misplaced(n, "a figure")
	}
}

func (v *validator) slideshow(n *node) bool {
	visible := false
	for _, child := range n.children {
		if child.tag == "figure" {
			visible = v.visual(child) || visible
			continue
		}
		v.accompaniment(child)
	}
	if !visible {
		v.find("figure", n, "the slideshow contains no image")
	}
	return visible
}

func (v *validator) mapFigure(n *node) bool {
	tagged := false
	for _, child := range n.children {
		tagged = tagged || (child.tag == "script" && child.class("op-geotag"))
		v.accompaniment(child)
	}
	if !tagged {
		v.find("geotag", n, "the map has no script.op-geotag")
	}
	return tagged
}

func (v *validator) geotag(n *node) {
	var feature struct {
		Type string `json:"type"`
	}
	if n.attr("type") != "application/json" {
		v.find("executable", n, "the geotag has the type %.40q instead of application/json", n.attr("type"))
	}
	if json.Unmarshal([]byte(n.content()), &feature) != nil || feature.Type == "" {
		v.find("geotag", n, "the geotag is not GeoJSON")
	}
}

// frame checks an embed, an ad or a tracker: an iframe with an address and a size, or with content.
func (v *validator) frame(n *node) bool {
	frames, visible := 0, false
	for _, child := range n.children {
		if child.tag != "iframe" {
			v.accompaniment(child)
			continue
		}
		frames++
		if !hypertext.Blank(child.content()) {
			visible = true
			continue
		}
		visible = v.address(child, "src") || visible
		sized := pixels(child.attr("width")) > 0 && pixels(child.attr("height")) > 0
		if !sized && !n.class("op-tracker") {
			v.find("embed-size", child, "the iframe has no width and height in pixels")
		}
	}
	if frames == 0 {
		v.find("figure", n, "the figure contains no iframe")
	}
	return visible
}

// caption checks a caption: title, subtitle, text and credit.
func (v *validator) caption(n *node) {
	if hypertext.Blank(n.content()) {
		v.find("empty-caption", n, "the caption contains no text")
	}
	for _, child := range n.children {
		if child.tag == "h1" || child.tag == "h2" {
			v.text(child)
			continue
		}
		v.inText(child)
	}
}
