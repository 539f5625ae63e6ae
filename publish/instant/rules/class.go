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

// Class is one of the classes that a rules file can name.
type Class struct {
	Name       string // without a namespace
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
	{"TextNodeRule", inWords, "text"},
	{"PassThroughRule", Anywhere, ""},
	{"IgnoreRule", Anywhere, ""},

	{"AnchorRule", inWords, "anchor.href anchor.rel"},
	{"BoldRule", inWords, ""},
	{"ItalicRule", inWords, ""},
	{"EmphasizedRule", inWords, ""},
	{"LineBreakRule", inWords, ""},
	{"ParagraphRule", Anywhere, ""},
	{"PreformattedRule", Anywhere, ""},
	{"H1Rule", InArticle | InHeader | InCaption, "h1.class"},
	{"H2Rule", InArticle | InHeader | InCaption, "h2.class"},
	{"BlockquoteRule", InArticle, ""},
	{"PullquoteRule", InArticle, ""},
	{"PullquoteCiteRule", InPullquote, ""},
	{"ListElementRule", Anywhere &^ (InHeader | InRelated), ""},
	{"ListItemRule", Anywhere &^ (InHeader | InRelated), ""},

	{"FigureRule", Anywhere, ""},
	{"CaptionRule", InFigure | InSlideshow, "caption.default"},
	{"CaptionCreditRule", InCaption | InFigure | InSlideshow, ""},
	{"ImageRule", Anywhere, imageKeys},
	{"ImageInsideParagraphRule", InParagraph, imageKeys},
	{"SlideshowImageRule", InSlideshow, "image.url caption.title caption.credit"},
	{"SlideshowRule", Anywhere, ""},
	{"JetpackSlideshowRule", Anywhere, "jetpack.data-gallery"},
	{"VideoRule", Anywhere, videoKeys},
	{"SlideshowVideoRule", InSlideshow, videoKeys},
	{"AudioRule", Anywhere, "audio.url audio.title audio.autoplay audio.muted"},
	{"MapRule", Anywhere, ""},
	{"GeoTagRule", InFigure | InSlideshow, "map.geotag"},
	{"InteractiveRule", Anywhere, interactiveKeys},
	{"InteractiveInsideParagraphRule", InParagraph, interactiveKeys},
	{"SocialEmbedRule", Anywhere, "socialembed.iframe socialembed.url socialembed.width socialembed.height"},
	{"TableRule", Anywhere, ""},
	{"AdRule", Anywhere, "ad.url ad.height ad.width ad.embed"},
	{"AnalyticsRule", Anywhere, "analytics.url analytics.embed"},
	{"RelatedArticlesRule", Anywhere, "related.title"},
	{"FooterRelatedArticlesRule", InFooter, "related.title"},
	{"RelatedItemRule", InRelated, "related.url related.sponsored"},

	{"HeaderRule", InArticle, ""},
	{"HeaderTitleRule", InHeader, ""},
	{"HeaderSubTitleRule", InHeader, ""},
	{"HeaderKickerRule", InHeader, ""},
	{"HeaderImageRule", InHeader, "image.url"},
	{"HeaderAdRule", InHeader, "ad.url ad.height ad.width ad.embed"},
	{"AuthorRule", InHeader, "author.url author.name author.description author.role_contribution"},
	{"SponsorRule", InHeader, "sponsor.page_url"},
	{"TimeRule", InHeader, "article.time article.datetype article.time_type"},
	{"FooterRule", InArticle, ""},
	{"FooterSmallRule", InFooter, ""},
	{"ParagraphFooterRule", InFooter, ""},
	{"InstantArticleRule", InArticle, "article.canonical article.charset article.markup.version article.auto.ad " +
		"article.recirculation.ad article.style"},
	{"GlobalRule", InArticle, "author.url author.name author.description author.role_contribution article.title " +
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
