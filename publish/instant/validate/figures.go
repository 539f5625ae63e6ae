package validate

import (
	"slices"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// MinCover is the minimum width and height of a cover image in pixels.
const MinCover = 1024

// social checks an embed with a class that the format no longer has.
func (v *validator) social(n *html.Node) bool {
	v.find("deprecated", n, "op-social is deprecated")
	return v.frame(n)
}

// cover checks an image or a video in the header.
func (v *validator) cover(n *html.Node) bool {
	visible := v.visual(n)
	for _, img := range all(n, "img") {
		width, height := pixels(hypertext.Attr(img, "width")), pixels(hypertext.Attr(img, "height"))
		if width > 0 && height > 0 && min(width, height) < MinCover && child(n, "video") == nil {
			v.find("cover-size", img, "the cover has %d×%d pixels", width, height)
		}
	}
	return visible
}

// adTemplate checks the ads from which the consumer chooses.
func (v *validator) adTemplate(n *html.Node) bool {
	defaults := 0
	v.checkChildren(n, "an ad template", map[string]check{"figure.op-ad": func(ad *html.Node) bool {
		if hypertext.HasClass(ad, "op-ad-default") {
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
func (v *validator) media(n *html.Node, checks map[string]check) (count int, visible bool) {
	v.unique(n, "figcaption", "img", "video", "iframe", "audio", "script.op-geotag")
	all := map[string]check{"figcaption": v.caption, "audio": unseen(v.playable), "cite": unseen(v.text), "script.op-geotag": v.geotag}
	for tag, one := range checks {
		all[tag] = func(medium *html.Node) bool {
			count++
			return one(medium)
		}
	}
	visible = v.checkChildren(n, "a figure", all)
	return count, visible
}

// visual checks an image or a video with its poster image.
func (v *validator) visual(n *html.Node) bool {
	modes := []string{"", "aspect-fit", "aspect-fit-only", "fullscreen", "non-interactive"}
	if mode := hypertext.Attr(n, "data-mode"); !slices.Contains(modes, mode) {
		v.find("attribute", n, "data-mode has the unknown value %.40q", mode)
	}
	image := func(img *html.Node) bool { return v.address(img, "src") }
	count, visible := v.media(n, map[string]check{"img": image, "video": v.playable})
	if count == 0 {
		v.find("figure", n, "the figure contains neither an image nor a video")
	}
	return visible
}

// playable checks the addresses of a video or audio and reports whether one is usable.
func (v *validator) playable(n *html.Node) bool {
	sources := all(n, "source")
	if len(sources) == 0 {
		sources = []*html.Node{n}
	}
	found := false
	for _, source := range sources {
		found = v.address(source, "src") || found
	}
	return found
}

func (v *validator) slideshow(n *html.Node) bool {
	count, visible := v.media(n, map[string]check{"figure": v.visual})
	if count < 2 {
		v.find("figure", n, "the slideshow contains %d images instead of at least two", count)
	}
	return visible
}

func (v *validator) mapFigure(n *html.Node) bool {
	v.media(n, nil)
	tagged := slices.ContainsFunc(all(n, "script"), func(script *html.Node) bool { return hypertext.HasClass(script, "op-geotag") })
	if !tagged {
		v.find("geotag", n, "the map has no script.op-geotag")
	}
	return tagged
}

func (v *validator) geotag(n *html.Node) bool {
	if hypertext.Attr(n, "type") != "application/json" {
		v.find("executable", n, "the geotag has the type %.40q instead of application/json", hypertext.Attr(n, "type"))
	}
	if err := checkFeature([]byte(content(n))); err != nil {
		v.find("geotag", n, "the geotag is not a GeoJSON Feature: %s", err)
	}
	return false
}

// frame checks an embed, an ad or a tracker: an iframe with an address and a size, or with content.
func (v *validator) frame(n *html.Node) bool {
	count, visible := v.media(n, map[string]check{"iframe": func(iframe *html.Node) bool {
		if !hypertext.Blank(content(iframe)) {
			return true
		}
		visible := v.address(iframe, "src")
		if (pixels(hypertext.Attr(iframe, "width")) <= 0 || pixels(hypertext.Attr(iframe, "height")) <= 0) && !hypertext.HasClass(n, "op-tracker") {
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
func (v *validator) caption(n *html.Node) bool {
	if hypertext.Blank(content(n)) {
		v.find("empty-caption", n, "the caption contains no text")
	}
	v.unique(n, "h1", "h2", "cite")
	for child := range n.ChildNodes() {
		if tag(child) == "h1" || tag(child) == "h2" {
			v.text(child)
			continue
		}
		v.inText(child)
	}
	return false
}
