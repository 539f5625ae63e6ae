package hypertext

import (
	"iter"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/store/feed"
)

// Images yields the images in content, whose alternative text is their description.
func Images(content string) iter.Seq[feed.Enclosure] {
	return func(yield func(feed.Enclosure) bool) {
		z := html.NewTokenizer(strings.NewReader(content))
		for {
			switch z.Next() {
			case html.ErrorToken:
				return
			case html.StartTagToken, html.SelfClosingTagToken:
				if name, _ := z.TagName(); atom.Lookup(name) != atom.Img {
					continue
				}
				if image := imageIn(z); image.URL != "" && !yield(image) {
					return
				}
			}
		}
	}
}

// imageIn returns the image of the img tag whose name was read.
func imageIn(z *html.Tokenizer) (image feed.Enclosure) {
	for {
		key, value, more := z.TagAttr()
		switch string(key) {
		case "src":
			image.URL = string(value)
		case "alt":
			image.Description = OneLine(string(value))
		case "width":
			image.Width, _ = strconv.ParseInt(string(value), 10, 64)
		case "height":
			image.Height, _ = strconv.ParseInt(string(value), 10, 64)
		}
		if !more {
			return image
		}
	}
}

// LargeEnough reports whether neither side of an image is known to be below minimum pixels.
func LargeEnough(image feed.Enclosure, minimum int) bool {
	return (image.Width == 0 || image.Width >= int64(minimum)) && (image.Height == 0 || image.Height >= int64(minimum))
}
