package consumer

import (
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/xmltree"
)

// requirement is what one consumer requires of RSS. Names of elements are separated by spaces.
type requirement struct {
	channel string // elements of the channel, besides those of RSS
	item    string // elements of each item
	markup  *markup
	feed    func(c *checker, channel *xmltree.Element, size int)
	each    func(c *checker, channel, item *xmltree.Element)
}

// markup is what the content of an item may contain.
type markup struct {
	allowed string // elements; empty allows everything except active content
	depth   int    // levels of nesting; 0 means no limit
}

const item = "title link guid pubDate content:encoded"

// requirements has a row for each built-in profile.
var requirements = map[string]requirement{
	"full-text":        {item: "title link guid pubDate"},
	"instant-articles": {item: "title link content:encoded", feed: (*checker).instantArticles, each: (*checker).instantArticle},
	"smartnews": {
		channel: "language", item: item, feed: (*checker).smartNewsFeed, each: (*checker).smartNewsItem,
		markup: &markup{allowed: "p div span br hr b strong i em u s sub sup small h1 h2 h3 h4 h5 h6 a img figure figcaption ul ol li dl " +
			"dt dd table thead tbody tfoot tr th td caption blockquote q cite pre code iframe video audio source"},
	},
	"msn": {
		item: item, each: (*checker).msn,
		markup: &markup{allowed: "p div span br b i em strong sub sup small h1 h2 h3 h4 h5 a img table thead tbody tfoot tr th td caption " +
			"col colgroup ul ol li blockquote iframe", depth: 9},
	},
	"flipboard": {channel: "language", item: item + " description dc:creator", each: (*checker).flipboard, markup: &markup{}},
	"podcast":   {channel: "language", item: "title guid pubDate", feed: (*checker).podcastChannel, each: (*checker).podcastEpisode, markup: &markup{}},
	"yahoo": {
		item: item + " dc:creator", each: (*checker).yahoo,
		markup: &markup{allowed: "p div span br b i em strong sub sup h1 h2 h3 h4 h5 h6 a img figure figcaption table thead tbody tr th td " +
			"ul ol li blockquote iframe"},
	},
	"dzen": {
		channel: "language", item: item, feed: (*checker).dzenFeed, each: (*checker).dzen,
		markup: &markup{allowed: "p br a b i u s strong em h1 h2 h3 h4 blockquote ul ol li figure figcaption img"},
	},
	"newsbreak": {channel: "language", item: item + " description dc:creator", each: (*checker).newsBreak, markup: &markup{}},
}

func (c *checker) instantArticles(channel *xmltree.Element, _ int) {
	if n := len(channel.All("item")); n > 100 {
		c.fault("the feed has %d items; the consumer imports at most 100 at a time", n)
	}
}

func (c *checker) instantArticle(_, it *xmltree.Element) {
	date := it.Value("pubDate")
	if _, err := time.Parse(time.RFC3339, date); err != nil && date != "" {
		c.fault("%s: pubDate %q is not an ISO 8601 date", label(it), date)
	}
	document := it.Value("content:encoded")
	for _, part := range []string{
		"<!doctype html>", `<link rel="canonical" href="` + strings.ReplaceAll(it.Value("link"), "&", "&amp;") + `">`,
		`<meta property="op:markup_version" content="v1.0">`, "<article>", "<h1>", `<time class="op-published"`, "</html>",
	} {
		if !strings.Contains(document, part) {
			c.fault("%s: its document lacks %s", label(it), part)
		}
	}
}

// smartNewsFeed and smartNewsItem check SmartFormat 2.1 and 2.2.
func (c *checker) smartNewsFeed(channel *xmltree.Element, size int) {
	if size > 1_000_000 {
		c.fault("the file has %d bytes; at most 1 MB is recommended", size)
	}
	if n := utf8.RuneCountInString(channel.Value("description")); n > 30 {
		c.fault("the description of the channel has %d characters; SmartNews shows at most 30", n)
	}
	if channel.Child("item") != nil {
		c.rfc822(channel, "pubDate")
	}
	for _, name := range []string{"snf:logo", "snf:darkModeLogo"} {
		if logo := channel.Child(name); logo != nil && hostOf(logo.Value("url")) == "" {
			c.fault("%s has no url", name)
		}
	}
}

func (c *checker) smartNewsItem(_, it *xmltree.Element) {
	c.rfc822(it, "pubDate")
	if strings.Contains(it.Value("link"), "utm_") {
		c.fault("%s: its link contains utm parameters", label(it))
	}
	if thumbnail := it.Child("media:thumbnail"); thumbnail != nil && hostOf(thumbnail.Attr("url")) == "" {
		c.fault("%s: its thumbnail has no absolute URL", label(it))
	}
	if video := it.Child("snf:video"); video != nil && hostOf(video.Attr("url")) == "" {
		c.fault("%s: its snf:video has no absolute URL", label(it))
	}
	if it.Child("snf:analytics") != nil && it.Value("snf:analytics") == "" {
		c.fault("%s: its snf:analytics is empty", label(it))
	}
	if ad := it.Child("snf:advertisement"); ad != nil && ad.Value("snf:adcontent") == "" && ad.Child("snf:sponsoredLink") == nil {
		c.fault("%s: its snf:advertisement has neither snf:adcontent nor snf:sponsoredLink", label(it))
	}
}

// msn checks the item metadata and the HTML guidelines of the Partner Hub.
func (c *checker) msn(_, it *xmltree.Element) {
	title := utf8.RuneCountInString(it.Value("title"))
	short := utf8.RuneCountInString(it.Value("mi:shortTitle"))
	if title <= 20 || title > 150 && short == 0 {
		c.fault("%s: its title has %d characters; MSN accepts 21 to 150", label(it), title)
	}
	if short > 54 {
		c.fault("%s: its short title has %d characters; MSN accepts at most 54", label(it), short)
	}
	published := c.rfc822(it, "pubDate")
	switch age := c.now.Sub(published); {
	case age < 0:
		c.fault("%s: its publication date is in the future", label(it))
	case age > 365*24*time.Hour:
		c.fault("%s: it is older than a year", label(it))
	}
	if text := it.Value("dcterms:modified"); text != "" {
		if modified, err := time.Parse(time.RFC3339, text); err != nil || modified.Before(published) {
			c.fault("%s: dcterms:modified %q is not a date after pubDate", label(it), text)
		}
	}
	c.media(it)
	for _, media := range it.All("media:content") {
		if media.Child("mi:hasSyndicationRights") != nil {
			c.oneOf(label(it), media, "mi:hasSyndicationRights", "0", "1")
		}
	}
}

// flipboard checks the RSS specification for publishers.
func (c *checker) flipboard(channel, it *xmltree.Element) {
	if site := hostOf(channel.Value("link")); hostOf(it.Value("link")) != site {
		c.fault("%s: its link is not on %s, the host of the feed's link", label(it), site)
	}
	if n := utf8.RuneCountInString(it.Value("description")); n < 300 {
		c.fault("%s: its description has %d characters; at least 300 are required", label(it), n)
	}
	enclosure := it.Child("enclosure")
	if enclosure == nil || hostOf(enclosure.Attr("url")) == "" ||
		!strings.HasPrefix(enclosure.Attr("type"), "image/") && enclosure.Attr("type") != "video/mp4" {
		c.fault("%s: it has no enclosure with an image or a video", label(it))
	}
}

// newsBreak checks the requirements of the publisher FAQ.
func (c *checker) newsBreak(_, it *xmltree.Element) {
	c.rfc822(it, "pubDate")
	if guid := it.Child("guid"); guid != nil && (guid.Attr("isPermaLink") == "false" || guid.Text != it.Value("link")) {
		c.fault("%s: its guid is not its permalink", label(it))
	}
	if it.Child("media:thumbnail") == nil && !strings.Contains(it.Value("content:encoded"), "<img") {
		c.fault("%s: it has no image", label(it))
	}
}

// yahoo checks the FAQ for publishers, and Media RSS.
func (c *checker) yahoo(_, it *xmltree.Element) {
	c.rfc822(it, "pubDate")
	c.media(it)
}

// media checks the files of an item (Media RSS).
func (c *checker) media(it *xmltree.Element) {
	for _, media := range it.All("media:content") {
		if hostOf(media.Attr("url")) == "" || media.Attr("medium") == "" && media.Attr("type") == "" {
			c.fault("%s: media:content has no absolute URL, or neither medium nor type", label(it))
		}
		for _, name := range []string{"media:title", "media:description", "media:text", "media:credit"} {
			if text := media.Child(name); text != nil && text.Text == "" {
				c.fault("%s: %s is empty", label(it), name)
			}
		}
	}
}

// dzenFeed and dzen check the RSS specification for publishers.
func (c *checker) dzenFeed(channel *xmltree.Element, _ int) {
	if n := len(channel.All("item")); n > 500 {
		c.fault("the feed has %d items; Dzen accepts at most 500 at a time", n)
	}
}

func (c *checker) dzen(_, it *xmltree.Element) {
	if published := c.rfc822(it, "pubDate"); c.now.Sub(published) > 72*time.Hour {
		c.fault("%s: it is older than three days", label(it))
	}
	var marks []string
	for _, category := range it.All("category") {
		marks = append(marks, category.Text)
	}
	for _, either := range [][]string{{"format-article", "format-post"}, {"index", "noindex"}} {
		if !slices.ContainsFunc(marks, func(mark string) bool { return slices.Contains(either, mark) }) {
			c.fault("%s: no category is %s", label(it), strings.Join(either, " or "))
		}
	}
	c.oneOf(label(it), it, "media:rating", "adult", "nonadult")
	image := it.Child("enclosure")
	if image == nil || hostOf(image.Attr("url")) == "" || !strings.HasPrefix(image.Attr("type"), "image/") {
		c.fault("%s: it has no enclosure with an image", label(it))
	}
}

// rfc822 parses a date in the format of RSS 2.0.
func (c *checker) rfc822(e *xmltree.Element, name string) time.Time {
	value := e.Value(name)
	t, err := time.Parse(time.RFC1123Z, value)
	if err != nil {
		t, err = time.Parse(time.RFC1123, value)
	}
	if err != nil {
		c.fault("%s: %s %q is not an RFC 822 date", label(e), name, value)
	}
	return t
}

// active lists the elements that no consumer accepts. Formulas are not among them: they run and load nothing, and no consumer
// without a list of elements names them.
var active = strings.Fields("script style object embed form base meta link svg applet template")

// markup checks the content of an item.
func (c *checker) markup(it *xmltree.Element, m *markup) {
	root, err := html.Parse(strings.NewReader(it.Value("content:encoded")))
	if err != nil {
		c.fault("%s: its content cannot be parsed: %v", label(it), err)
		return
	}
	c.elements(it, m, root, -1) // html, head and body are not part of the content
}

// elements checks the elements in n, which are depth levels deep.
func (c *checker) elements(it *xmltree.Element, m *markup, n *html.Node, depth int) {
	for child := range n.ChildNodes() {
		if child.Type != html.ElementNode {
			continue
		}
		if depth > 0 {
			c.element(it, m, child, depth)
		}
		c.elements(it, m, child, depth+1)
	}
}

func (c *checker) element(it *xmltree.Element, m *markup, n *html.Node, depth int) {
	switch {
	case slices.Contains(active, n.Data), m.allowed != "" && !hypertext.HasWord(m.allowed, n.Data):
		c.fault("%s: the element %s is not allowed", label(it), n.Data)
	case m.depth > 0 && depth > m.depth:
		c.fault("%s: elements are nested %d deep; at most %d levels are allowed", label(it), depth, m.depth)
	case n.Data == "img" && hostOf(hypertext.Attr(n, "src")) == "":
		c.fault("%s: an image has no absolute URL", label(it))
	}
	for _, a := range n.Attr {
		if strings.HasPrefix(a.Key, "on") {
			c.fault("%s: the attribute %s is not allowed", label(it), a.Key)
		}
	}
}

// hostOf returns the host of an absolute http or https URL, or an empty string.
func hostOf(link string) string {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.Hostname()
}
