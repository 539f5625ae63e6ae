package instant

import (
	"encoding/json"
	"slices"
)

// figureKinds are the classes that say what a figure is; a figure without one is an image or a video.
func figureKinds() []string {
	return []string{"op-interactive", "op-social", "op-slideshow", "op-map", "op-ad", "op-tracker"}
}

// figureModes are the ways in which an image or a video can be laid out.
func figureModes() []string {
	return []string{"aspect-fit", "aspect-fit-only", "fullscreen", "non-interactive"}
}

// figure checks one figure of the body.
func (v *validator) figure(p *part) {
	kind := slices.IndexFunc(figureKinds(), p.class)
	shown := false
	switch {
	case kind < 0:
		shown = v.visual(p)
	case p.class("op-slideshow"):
		shown = v.slideshow(p)
	case p.class("op-map"):
		shown = v.geographic(p)
	default:
		if p.class("op-social") {
			v.find("deprecated", p, "op-social has been replaced by op-interactive")
		}
		shown = v.framed(p) && !p.class("op-ad") && !p.class("op-tracker")
	}
	v.content = v.content || shown
}

// cover checks the figure at the head of an article.
func (v *validator) cover(p *part) {
	switch {
	case p.class("op-ad"):
		v.framed(p)
		return
	case p.class("op-slideshow"):
		v.slideshow(p)
		return
	}
	v.visual(p)
	for _, img := range p.children("img") {
		width, height := length(img.attr("width")), length(img.attr("height"))
		if width > 0 && height > 0 && min(width, height) < coverSize && p.child("video") == nil {
			v.find("cover-size", img, "the cover has %d×%d pixels, less than %d×%d", width, height, coverSize, coverSize)
		}
	}
}

// adTemplate checks the ads that are put into the article where there is room.
func (v *validator) adTemplate(p *part) {
	defaults := 0
	for _, child := range p.parts {
		if child.tag != figureTag || !child.class("op-ad") {
			v.strange(child, "an ad template")
			continue
		}
		if child.class("op-ad-default") {
			defaults++
		}
		v.framed(child)
	}
	if defaults > 1 {
		v.find("attribute", p, "%d ads are op-ad-default, at most one can be", defaults)
	}
}

// visual checks an image or a video and reports whether there is one to show. The image of a video is its poster.
func (v *validator) visual(p *part) bool {
	if mode := p.attr("data-mode"); mode != "" && !slices.Contains(figureModes(), mode) {
		v.find("attribute", p, "data-mode is %.40q", mode)
	}
	shown, media := false, 0
	for _, child := range p.parts {
		switch child.tag {
		case "img":
			media++
			shown = v.address(child, "src") || shown
		case "video":
			media++
			shown = v.playable(child) || shown
		default:
			v.beside(child)
		}
	}
	if media == 0 {
		v.find("figure", p, "the figure holds neither an image nor a video")
	}
	return shown
}

// playable checks a video or audio and reports whether it names something to play.
func (v *validator) playable(p *part) bool {
	sources := p.children("source")
	if len(sources) == 0 {
		return v.address(p, "src")
	}
	found := false
	for _, source := range sources {
		found = v.address(source, "src") || found
	}
	return found
}

// beside checks what may stand in a figure besides its medium.
func (v *validator) beside(p *part) {
	switch {
	case p.tag == caption:
		v.caption(p)
	case p.tag == "audio":
		v.playable(p)
	case p.tag == "cite":
		v.text(p)
	case p.tag == "script" && p.class("op-geotag"):
		v.geotag(p)
	default:
		v.strange(p, "a figure")
	}
}

func (v *validator) slideshow(p *part) bool {
	shown := false
	for _, child := range p.parts {
		if child.tag == figureTag {
			shown = v.visual(child) || shown
			continue
		}
		v.beside(child)
	}
	if !shown {
		v.find("figure", p, "the slideshow holds no image")
	}
	return shown
}

// geographic checks a map.
func (v *validator) geographic(p *part) bool {
	tagged := false
	for _, child := range p.parts {
		tagged = tagged || (child.tag == "script" && child.class("op-geotag"))
		v.beside(child)
	}
	if !tagged {
		v.find("geotag", p, "the map has no script.op-geotag")
	}
	return tagged
}

// geotag checks that a place is given as GeoJSON.
func (v *validator) geotag(p *part) {
	var feature struct {
		Type string `json:"type"`
	}
	if p.attr("type") != "application/json" {
		v.find("executable", p, "the type of the geotag is %.40q, not application/json", p.attr("type"))
	}
	if json.Unmarshal([]byte(p.visible()), &feature) != nil || feature.Type == "" {
		v.find("geotag", p, "the geotag is not GeoJSON")
	}
}

// framed checks an embed, an ad or a tracker: a frame with an address and a size, or with its document inside.
func (v *validator) framed(p *part) bool {
	frames, shown := 0, false
	for _, child := range p.parts {
		if child.tag != "iframe" {
			v.beside(child)
			continue
		}
		frames++
		if child.inlineFrame() {
			shown = true
			continue
		}
		shown = v.address(child, "src") || shown
		sized := length(child.attr("width")) > 0 && length(child.attr("height")) > 0
		if !sized && !p.class("op-tracker") {
			v.find("embed-size", child, "the frame has no width and height in pixels")
		}
	}
	if frames == 0 {
		v.find("figure", p, "the figure holds no frame")
	}
	return shown
}

// caption checks a caption: title and subtitle, text and a credit.
func (v *validator) caption(p *part) {
	if blank(p.visible()) {
		v.find("empty-caption", p, "the caption holds no text")
	}
	for _, child := range p.parts {
		if child.tag == "h1" || child.tag == "h2" {
			v.text(child)
			continue
		}
		v.run(child)
	}
}
