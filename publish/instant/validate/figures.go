package validate

import (
	"encoding/json"
	"slices"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// MinCover is the minimum width and height of a cover image in pixels.
const MinCover = 1024

// social checks an embed with a class that the format no longer has.
func (v *validator) social(n *node) bool {
	v.find("deprecated", n, "op-social is deprecated")
	return v.frame(n)
}

// cover checks an image or a video in the header.
func (v *validator) cover(n *node) bool {
	visible := v.visual(n)
	for _, img := range n.all("img") {
		width, height := pixels(img.attr("width")), pixels(img.attr("height"))
		if width > 0 && height > 0 && min(width, height) < MinCover && n.child("video") == nil {
			v.find("cover-size", img, "the cover has %d×%d pixels", width, height)
		}
	}
	return visible
}

// adTemplate checks the ads from which the consumer chooses.
func (v *validator) adTemplate(n *node) bool {
	defaults := 0
	v.checkChildren(n, "an ad template", map[string]check{"figure.op-ad": func(ad *node) bool {
		if ad.class("op-ad-default") {
			defaults++
		}
		return v.frame(ad)
	}})
	if defaults > 1 {
		v.find("attribute", n, "%d ads have the class op-ad-default; at most one may", defaults)
	}
	return false
}

// media checks the children of a figure: the media, which are the elements with a row in checks, and what accompanies them. It
// returns the number of media and reports whether one shows something.
func (v *validator) media(n *node, checks map[string]check) (count int, visible bool) {
	all := map[string]check{"figcaption": v.caption, "audio": unseen(v.playable), "cite": unseen(v.text), "script.op-geotag": v.geotag}
	for tag, one := range checks {
		all[tag] = func(medium *node) bool {
			count++
			return one(medium)
		}
	}
	visible = v.checkChildren(n, "a figure", all)
	return count, visible
}

// visual checks an image or a video with its poster image.
func (v *validator) visual(n *node) bool {
	modes := []string{"", "aspect-fit", "aspect-fit-only", "fullscreen", "non-interactive"}
	if mode := n.attr("data-mode"); !slices.Contains(modes, mode) {
		v.find("attribute", n, "data-mode has the unknown value %.40q", mode)
	}
	image := func(img *node) bool { return v.address(img, "src") }
	count, visible := v.media(n, map[string]check{"img": image, "video": v.playable})
	if count == 0 {
		v.find("figure", n, "the figure contains neither an image nor a video")
	}
	return visible
}

// playable checks the addresses of a video or audio and reports whether one is usable.
func (v *validator) playable(n *node) bool {
	sources := n.all("source")
	if len(sources) == 0 {
		sources = []*node{n}
	}
	found := false
	for _, source := range sources {
		found = v.address(source, "src") || found
	}
	return found
}

func (v *validator) slideshow(n *node) bool {
	_, visible := v.media(n, map[string]check{"figure": v.visual})
	if !visible {
		v.find("figure", n, "the slideshow contains no image")
	}
	return visible
}

func (v *validator) mapFigure(n *node) bool {
	v.media(n, nil)
	tagged := slices.ContainsFunc(n.all("script"), func(script *node) bool { return script.class("op-geotag") })
	if !tagged {
		v.find("geotag", n, "the map has no script.op-geotag")
	}
	return tagged
}

func (v *validator) geotag(n *node) bool {
	var feature struct {
		Type string `json:"type"`
	}
	if n.attr("type") != "application/json" {
		v.find("executable", n, "the geotag has the type %.40q instead of application/json", n.attr("type"))
	}
	if json.Unmarshal([]byte(n.content()), &feature) != nil || feature.Type == "" {
		v.find("geotag", n, "the geotag is not GeoJSON")
	}
	return false
}

// frame checks an embed, an ad or a tracker: an iframe with an address and a size, or with content.
func (v *validator) frame(n *node) bool {
	count, visible := v.media(n, map[string]check{"iframe": func(iframe *node) bool {
		if !hypertext.Blank(iframe.content()) {
			return true
		}
		visible := v.address(iframe, "src")
		if (pixels(iframe.attr("width")) <= 0 || pixels(iframe.attr("height")) <= 0) && !n.class("op-tracker") {
			v.find("embed-size", iframe, "the iframe has no width and height in pixels")
		}
		return visible
	}})
	if count == 0 {
		v.find("figure", n, "the figure contains no iframe")
	}
	return visible
}

// caption checks a caption: title, subtitle, text and credit.
func (v *validator) caption(n *node) bool {
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
	return false
}
