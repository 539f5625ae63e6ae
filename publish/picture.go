package publish

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/instant"
	"github.com/feedwire/feedwire/store/feed"
)

// picture is the image of an article. The zero picture is none.
type picture struct {
	url, mediaType string
	length         int64 // bytes; 0: not known
	width, height  int   // likewise
}

// pictureOf is the image that came with the article, else the first one in its content whose shorter side is not known
// to be below minimum pixels.
func pictureOf(a *feed.Article, content string, minimum int) picture {
	if a.Image != "" && absolute(a.Image) {
		p := picture{url: instant.Clean(a.Image)}
		for _, file := range a.Enclosures {
			if file.URL == a.Image {
				p.mediaType, p.length = file.Type, file.Length
			}
		}
		return p.typed()
	}
	z := html.NewTokenizer(strings.NewReader(content))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return picture{}
		case html.StartTagToken, html.SelfClosingTagToken:
			if p := imageOf(z); p.url != "" && p.atLeast(minimum) {
				return p.typed()
			}
		}
	}
}

// imageOf reads the tag that z stands on; the zero picture where it is no image.
func imageOf(z *html.Tokenizer) (p picture) {
	name, more := z.TagName()
	if string(name) != "img" {
		return picture{}
	}
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "src":
			p.url = string(value)
		case "width":
			p.width, _ = strconv.Atoi(string(value))
		case "height":
			p.height, _ = strconv.Atoi(string(value))
		}
	}
	if !absolute(p.url) {
		return picture{}
	}
	return p
}

func (p picture) atLeast(minimum int) bool {
	return (p.width == 0 || p.width >= minimum) && (p.height == 0 || p.height >= minimum)
}

// typed completes the media type.
func (p picture) typed() picture {
	p.mediaType = feed.Enclosure{URL: p.url, Type: p.mediaType}.MediaType()
	if !strings.HasPrefix(p.mediaType, "image/") {
		p.mediaType = "image/jpeg"
	}
	return p
}

func absolute(link string) bool {
	u, err := url.Parse(link)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
