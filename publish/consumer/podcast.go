package consumer

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/xmltree"
)

// podcastCategories are Apple's categories without their subcategories.
var podcastCategories = []string{
	"Arts", "Business", "Comedy", "Education", "Fiction", "Government", "Health & Fitness", "History", "Kids & Family", "Leisure", "Music",
	"News", "Religion & Spirituality", "Science", "Society & Culture", "Sports", "TV & Film", "Technology", "True Crime",
}

// podcastFiles are the media types that Apple plays, with the extensions of their files.
var podcastFiles = map[string]string{
	"audio/mpeg": ".mp3", "audio/x-m4a": ".m4a", "video/mp4": ".mp4", "video/x-m4v": ".m4v", "video/quicktime": ".mov", "application/pdf": ".pdf",
}

var (
	fileSize     = regexp.MustCompile(`^[0-9]+$`) // 0 if it is not known (RSS best practices)
	wholeNumber  = regexp.MustCompile(`^[1-9][0-9]*$`)
	playDuration = regexp.MustCompile(`^([0-9]+|([0-9]+:)?[0-5]?[0-9]:[0-5][0-9])$`)
)

const maxPodcastText = 4000 // bytes of a description

// podcastChannel checks what Apple requires of a show.
func (c *checker) podcastChannel(channel *xmltree.Element, _ int) {
	if image := channel.Child("itunes:image"); image == nil || hostOf(image.Attr("href")) == "" {
		c.fault("the channel has no itunes:image; set the logo of the feed")
	} else if extension := strings.ToLower(path.Ext(image.Attr("href"))); extension != ".jpg" && extension != ".png" {
		c.fault("the artwork %s is no .jpg or .png", image.Attr("href"))
	}
	category := channel.Child("itunes:category")
	switch {
	case category == nil:
		c.fault("the channel has no itunes:category; set podcast.category of the feed")
	case !slices.Contains(podcastCategories, category.Attr("text")):
		c.fault("%q is no category of Apple; they are %s", category.Attr("text"), strings.Join(podcastCategories, ", "))
	}
	c.oneOf("the channel", channel, "itunes:explicit", "true", "false")
	if n := len(channel.Value("description")); n > maxPodcastText {
		c.fault("the description of the channel has %d bytes; at most %d are allowed", n, maxPodcastText)
	}
	files := make(map[string]bool)
	for _, it := range channel.All("item") {
		if e := it.Child("enclosure"); e != nil {
			if files[e.Attr("url")] {
				c.fault("two episodes have the file %s", e.Attr("url"))
			}
			files[e.Attr("url")] = true
		}
	}
}

// podcastEpisode checks what Apple and the podcast namespace require of an episode.
func (c *checker) podcastEpisode(_, it *xmltree.Element) {
	c.rfc822(it, "pubDate")
	c.podcastFile(it)
	if n := len(it.Value("description")); n > maxPodcastText {
		c.fault("%s: its description has %d bytes; at most %d are allowed", label(it), n, maxPodcastText)
	}
	for _, name := range []string{"itunes:episode", "itunes:season"} {
		if number := it.Value(name); number != "" && !wholeNumber.MatchString(number) {
			c.fault("%s: %s %q is not a whole number above 0", label(it), name, number)
		}
	}
	if duration := it.Value("itunes:duration"); duration != "" && !playDuration.MatchString(duration) {
		c.fault("%s: itunes:duration %q is not in seconds", label(it), duration)
	}
	if it.Child("itunes:explicit") != nil {
		c.oneOf(label(it), it, "itunes:explicit", "true", "false")
	}
	if it.Child("itunes:episodeType") != nil {
		c.oneOf(label(it), it, "itunes:episodeType", "full", "trailer", "bonus")
	}
	if image := it.Child("itunes:image"); image != nil && hostOf(image.Attr("href")) == "" {
		c.fault("%s: its itunes:image has no absolute URL", label(it))
	}
	for _, file := range slices.Concat(it.All("podcast:transcript"), it.All("podcast:chapters")) {
		if hostOf(file.Attr("url")) == "" || file.Attr("type") == "" {
			c.fault("%s: %s has no url or no type", label(it), file.Name)
		}
	}
	for _, person := range it.All("podcast:person") {
		if person.Text == "" {
			c.fault("%s: podcast:person has no name", label(it))
		}
	}
}

func (c *checker) podcastFile(it *xmltree.Element) {
	file := it.Child("enclosure")
	if file == nil || hostOf(file.Attr("url")) == "" {
		c.fault("%s: it has no enclosure", label(it))
		return
	}
	address, _, _ := strings.Cut(file.Attr("url"), "?")
	switch extension := podcastFiles[file.Attr("type")]; {
	case extension == "":
		c.fault("%s: Apple does not play files of the type %q", label(it), file.Attr("type"))
	case strings.ToLower(path.Ext(address)) != extension:
		c.fault("%s: the address of its file does not end with %s", label(it), extension)
	case !fileSize.MatchString(file.Attr("length")):
		c.fault("%s: its enclosure has no length", label(it))
	}
}

// oneOf reports an element whose text is none of some words.
func (c *checker) oneOf(label string, e *xmltree.Element, name string, words ...string) {
	if value := e.Value(name); !slices.Contains(words, value) {
		c.fault("%s: %s is %q instead of %s", label, name, value, strings.Join(words, " or "))
	}
}
