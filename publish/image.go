package publish

import (
	"iter"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/store/feed"
)

// imageOf returns the image that came with the article, otherwise the first image in its content whose shorter side is not
// known to be below minimum pixels, otherwise a thumbnail that is known to be large enough.
func imageOf(a *feed.Article, content string, minimum int) feed.Enclosure {
	if a.Image != "" && absolute(a.Image) {
		image := feed.Enclosure{URL: hypertext.Clean(a.Image)}
		for _, file := range a.Enclosures {
			if file.URL == a.Image {
				image = file
				image.URL = hypertext.Clean(a.Image)
			}
		}
		return withMediaType(image)
	}
	for image := range imagesIn(content) {
		if absolute(image.URL) && largeEnough(image, minimum) {
			image.Description = ""
			return withMediaType(image)
		}
	}
	return thumbnailOf(a, minimum)
}

// imageText returns what an image shows: its description, or the alternative text that it has in the content.
func imageText(image feed.Enclosure, content string) string {
	if image.Description != "" {
		return image.Description
	}
	for other := range imagesIn(content) {
		if other.URL == image.URL && other.Description != "" {
			return other.Description
		}
	}
	return ""
}

// imagesIn returns the images in content, whose alternative text is their description.
func imagesIn(content string) iter.Seq[feed.Enclosure] {
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

// thumbnailOf returns the thumbnail that is the main image of the article's entry, unless it may be too small.
func thumbnailOf(a *feed.Article, minimum int) feed.Enclosure {
	entry := feed.Entry{Extra: a.Fields}
	for _, m := range feed.List[feed.Enclosure](&entry, feed.FieldMedia) {
		known := m.Width > 0 && m.Height > 0 || minimum == 0
		if m.Rel == feed.RelThumbnail && m.URL == a.Fields[feed.FieldImage] && absolute(m.URL) && known && largeEnough(m, minimum) {
			m.URL, m.Rel = hypertext.Clean(m.URL), ""
			return withMediaType(m)
		}
	}
	return feed.Enclosure{}
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
			image.Description = hypertext.OneLine(a.Val)
		case "width":
			image.Width, _ = strconv.ParseInt(a.Val, 10, 64)
		case "height":
			image.Height, _ = strconv.ParseInt(a.Val, 10, 64)
		}
	}
	return image
}

func largeEnough(image feed.Enclosure, minimum int) bool {
	return (image.Width == 0 || image.Width >= int64(minimum)) && (image.Height == 0 || image.Height >= int64(minimum))
}

// withMediaType completes the media type from the file name. An unknown image is a JPEG.
func withMediaType(image feed.Enclosure) feed.Enclosure {
	image.Type = image.MediaType()
	if !image.Is("image") {
		image.Type = "image/jpeg"
	}
	return image
}

func absolute(link string) bool {
	u, err := url.Parse(link)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
