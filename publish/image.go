package publish

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/store/feed"
)

// imageOf returns the image that came with the article, otherwise the first image in its content whose shorter side is not
// known to be below minimum pixels.
func imageOf(a *feed.Article, content string, minimum int) feedxml.Image {
	if a.Image != "" && absolute(a.Image) {
		image := feedxml.Image{URL: hypertext.Clean(a.Image)}
		for _, file := range a.Enclosures {
			if file.URL == a.Image {
				image.MediaType, image.Length = file.Type, int64(file.Length)
			}
		}
		return withMediaType(image)
	}
	z := html.NewTokenizer(strings.NewReader(content))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return feedxml.Image{}
		case html.StartTagToken, html.SelfClosingTagToken:
			if image := imageIn(z.Token()); absolute(image.URL) && largeEnough(image, minimum) {
				return withMediaType(image)
			}
		}
	}
}

// imageIn returns the image of a tag, without a URL if the tag is not an img.
func imageIn(tag html.Token) (image feedxml.Image) {
	if tag.DataAtom != atom.Img {
		return image
	}
	for _, a := range tag.Attr {
		switch a.Key {
		case "src":
			image.URL = a.Val
		case "width":
			image.Width, _ = strconv.Atoi(a.Val)
		case "height":
			image.Height, _ = strconv.Atoi(a.Val)
		}
	}
	return image
}

func largeEnough(image feedxml.Image, minimum int) bool {
	return (image.Width == 0 || image.Width >= minimum) && (image.Height == 0 || image.Height >= minimum)
}

// withMediaType completes the media type from the file name. An unknown image is a JPEG.
func withMediaType(image feedxml.Image) feedxml.Image {
	image.MediaType = feed.Enclosure{URL: image.URL, Type: image.MediaType}.MediaType()
	if !strings.HasPrefix(image.MediaType, "image/") {
		image.MediaType = "image/jpeg"
	}
	return image
}

func absolute(link string) bool {
	u, err := url.Parse(link)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
