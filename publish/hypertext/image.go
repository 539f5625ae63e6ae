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
				if image := imageIn(z.Token()); image.URL != "" && !yield(image) {
					return
				}
			}
		}
	}
}

// imageIn returns the image of a tag, without a URL if the tag is not an img.
func imageIn(tag html.Token) (image feed.Enclosure) {
	if tag.DataAtom != atom.Img {
		return image
	}
	for _, a := range tag.Attr {
		switch a.Key {
		case "src":
			image.URL = a.Val
		case "alt":
			image.Description = OneLine(a.Val)
		case "width":
			image.Width, _ = strconv.ParseInt(a.Val, 10, 64)
		case "height":
			image.Height, _ = strconv.ParseInt(a.Val, 10, 64)
		}
	}
	return image
}

// LargeEnough reports whether neither side of an image is known to be below minimum pixels.
func LargeEnough(image feed.Enclosure, minimum int) bool {
	return (image.Width == 0 || image.Width >= int64(minimum)) && (image.Height == 0 || image.Height >= int64(minimum))
}
