package rules

import (
	"strings"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// Context is a set of positions in an article. A rule applies in the contexts of its class only, so one selector can select
// a paragraph in the body and plain text in a list item.
type Context uint16

// The contexts.
const (
	InArticle Context = 1 << iota
	InParagraph
	InText
	InListItem
	InPullquote
	InCaption
	InFigure
	InSlideshow
	InHeader
	InFooter
	InRelated
	Anywhere Context = 1<<iota - 1
	InBody           = InArticle | InParagraph | InText
	inWords          = InText | InHeader | InRelated // where text has a format
)

// Action is what a rule makes of its element.
type Action uint8

// The actions.
const (
	Text Action = iota
	PassThrough
	Ignore
	Link
	Bold
	Italic
	LineBreak
	Paragraph
	Preformatted
	H1
	H2
	Blockquote
	Pullquote
	PullquoteCite
	List
	ListItem
	Figure
	Caption
	CaptionCredit
	Image
	Slideshow
	JetpackSlideshow
	Video
	Audio
	Map
	Geotag
	Interactive
	Table
	Ad
	Tracker
	Related
	RelatedItem
	Header
	HeaderTitle
	HeaderSubtitle
	HeaderKicker
	Author
	Sponsor
	Time
	Footer
	FooterCopyright
	FooterCredit
	Meta
	Page
)

// Class is one of the classes that a rules file can name.
type Class struct {
	Name       string // without a namespace
	Action     Action
	Contexts   Context
	Properties string // separated by spaces; positions are properties of every class
}

// Positions are the properties and classes that position a heading or a caption.
const Positions = "op-left op-center op-right op-vertical-above op-vertical-below op-vertical-center op-vertical-top " +
	"op-vertical-bottom op-small op-medium op-large op-extra-large"

// The properties of media.
const (
	imageKeys = "image.url image.caption image.credit image.like image.comments aspect-fit aspect-fit-only fullscreen " +
		"non-interactive"
	videoKeys = "video.url video.type video.playback video.controls video.like video.comments aspect-fit " +
		"aspect-fit-only fullscreen non-interactive"
	interactiveKeys = "interactive.iframe interactive.url interactive.width interactive.height no-margin column-width"
)

// classes of media apply anywhere, because media are moved out of the text around them.
var classes = []Class{
	{"TextNodeRule", Text, inWords, "text"},
	{"PassThroughRule", PassThrough, Anywhere, ""},
	{"IgnoreRule", Ignore, Anywhere, ""},

	{"AnchorRule", Link, inWords, "anchor.href anchor.rel"},
	{"BoldRule", Bold, inWords, ""},
	{"ItalicRule", Italic, inWords, ""},
	{"EmphasizedRule", Italic, inWords, ""},
	{"LineBreakRule", LineBreak, inWords, ""},
	{"ParagraphRule", Paragraph, Anywhere, ""},
	{"PreformattedRule", Preformatted, Anywhere, ""},
	{"H1Rule", H1, InArticle | InHeader | InCaption, "h1.class"},
	{"H2Rule", H2, InArticle | InHeader | InCaption, "h2.class"},
	{"BlockquoteRule", Blockquote, InArticle, ""},
	{"PullquoteRule", Pullquote, InArticle, ""},
	{"PullquoteCiteRule", PullquoteCite, InPullquote, ""},
	{"ListElementRule", List, Anywhere &^ (InHeader | InRelated), ""},
	{"ListItemRule", ListItem, Anywhere &^ (InHeader | InRelated), ""},

	{"FigureRule", Figure, Anywhere, ""},
	{"CaptionRule", Caption, InFigure | InSlideshow, "caption.default"},
	{"CaptionCreditRule", CaptionCredit, InCaption | InFigure | InSlideshow, ""},
	{"ImageRule", Image, Anywhere, imageKeys},
	{"ImageInsideParagraphRule", Image, InParagraph, imageKeys},
	{"SlideshowImageRule", Image, InSlideshow, "image.url caption.title caption.credit"},
	{"SlideshowRule", Slideshow, Anywhere, ""},
	{"JetpackSlideshowRule", JetpackSlideshow, Anywhere, "jetpack.data-gallery"},
	{"VideoRule", Video, Anywhere, videoKeys},
	{"SlideshowVideoRule", Video, InSlideshow, videoKeys},
	{"AudioRule", Audio, Anywhere, "audio.url audio.title audio.autoplay audio.muted"},
	{"MapRule", Map, Anywhere, ""},
	{"GeoTagRule", Geotag, InFigure | InSlideshow, "map.geotag"},
	{"InteractiveRule", Interactive, Anywhere, interactiveKeys},
	{"InteractiveInsideParagraphRule", Interactive, InParagraph, interactiveKeys},
	{"SocialEmbedRule", Interactive, Anywhere, "socialembed.iframe socialembed.url socialembed.width socialembed.height"},
	{"TableRule", Table, Anywhere, ""},
	{"AdRule", Ad, Anywhere, "ad.url ad.height ad.width ad.embed"},
	{"AnalyticsRule", Tracker, Anywhere, "analytics.url analytics.embed"},
	{"RelatedArticlesRule", Related, Anywhere, "related.title"},
	{"FooterRelatedArticlesRule", Related, InFooter, "related.title"},
	{"RelatedItemRule", RelatedItem, InRelated, "related.url related.sponsored"},

	{"HeaderRule", Header, InArticle, ""},
	{"HeaderTitleRule", HeaderTitle, InHeader, ""},
	{"HeaderSubTitleRule", HeaderSubtitle, InHeader, ""},
	{"HeaderKickerRule", HeaderKicker, InHeader, ""},
	{"HeaderImageRule", Image, InHeader, "image.url"},
	{"HeaderAdRule", Ad, InHeader, "ad.url ad.height ad.width ad.embed"},
	{"AuthorRule", Author, InHeader, "author.url author.name author.description author.role_contribution"},
	{"SponsorRule", Sponsor, InHeader, "sponsor.page_url"},
	{"TimeRule", Time, InHeader, "article.time article.datetype article.time_type"},
	{"FooterRule", Footer, InArticle, ""},
	{"FooterSmallRule", FooterCopyright, InFooter, ""},
	{"ParagraphFooterRule", FooterCredit, InFooter, ""},
	{"InstantArticleRule", Meta, InArticle, "article.canonical article.charset article.markup.version article.auto.ad " +
		"article.recirculation.ad article.style"},
	{"GlobalRule", Page, InArticle, "author.url author.name author.description author.role_contribution article.title " +
		"article.canonical article.publish article.body image.url"},
}

// parseClass finds a class by its name in any case, with or without a namespace.
func parseClass(name string) (*Class, bool) {
	if at := strings.LastIndexAny(name, `\/.`); at >= 0 {
		name = name[at+1:]
	}
	for i := range classes {
		if strings.EqualFold(classes[i].Name, name) {
			return &classes[i], true
		}
	}
	return nil, false
}

// has reports whether rules of the class may have a property.
func (c *Class) has(property string) bool {
	return hypertext.HasWord(c.Properties, property) || hypertext.HasWord(Positions, property)
}
