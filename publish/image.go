package publish

import (
	"net/url"

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
	for image := range hypertext.Images(content) {
		if absolute(image.URL) && hypertext.LargeEnough(image, minimum) {
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
	for other := range hypertext.Images(content) {
		if other.URL == image.URL && other.Description != "" {
			return other.Description
		}
	}
	return ""
}

// thumbnailOf returns the thumbnail that is the main image of the article's entry, unless it may be too small.
func thumbnailOf(a *feed.Article, minimum int) feed.Enclosure {
	entry := feed.Entry{Extra: a.Fields}
	for _, m := range feed.List[feed.Enclosure](&entry, feed.FieldMedia) {
		known := m.Width > 0 && m.Height > 0 || minimum == 0
		if m.Rel == feed.RelThumbnail && m.URL == a.Fields[feed.FieldImage] && absolute(m.URL) && known && hypertext.LargeEnough(m, minimum) {
			m.URL, m.Rel = hypertext.Clean(m.URL), ""
			return withMediaType(m)
		}
	}
	return feed.Enclosure{}
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
