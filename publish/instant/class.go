package instant

import (
	"strings"

	"golang.org/x/net/html"
)

// context is where in the article an element stands. A rule applies in some contexts only; that is how one selector can
// mean a paragraph in the body and plain text in a list item.
type context uint16

// The contexts.
const (
	inArticle context = 1 << iota
	inParagraph
	inText
	inListItem
	inPullquote
	inCaption
	inFigure
	inSlideshow
	inHeader
	inFooter
	inRelated
	anywhere context = 1<<iota - 1
	inBody           = inArticle | inParagraph | inText
	inWords          = inText | inHeader | inRelated // where text may look like something
)

// class is what a rule makes of its element.
type class struct {
	name  string // as rule files call it, without a namespace
	in    context
	keys  string                                               // the properties it reads, besides those of a place
	apply func(*builder, *rule, *html.Node, style) (done bool) // false: the rule did not find what it needs
}

// classOf finds a class by its name in any case, with or without a namespace.
func classOf(name string) (class, bool) {
	if at := strings.LastIndexAny(name, `\/.`); at >= 0 {
		name = name[at+1:]
	}
	for _, c := range classes {
		if strings.EqualFold(c.name, name) {
			return c, true
		}
	}
	return class{}, false
}

// has reports that the class reads a property. Those of a place (op-left …) are common to many.
func (c class) has(key string) bool { return hasWord(c.keys, key) || hasWord(places, key) }

// The properties that media share.
const (
	places = "op-left op-center op-right op-vertical-above op-vertical-below op-vertical-center op-vertical-top " +
		"op-vertical-bottom op-small op-medium op-large op-extra-large"
	imageKeys = "image.url image.caption image.credit image.like image.comments aspect-fit aspect-fit-only fullscreen " +
		"non-interactive"
	videoKeys = "video.url video.type video.playback video.controls video.like video.comments aspect-fit " +
		"aspect-fit-only fullscreen non-interactive"
	interactiveKeys = "interactive.iframe interactive.url interactive.width interactive.height no-margin column-width"
)

// classes are all classes of rules. Media may stand anywhere: they are hoisted out of the text around them.
var classes = []class{
	{"TextNodeRule", inWords, "text", (*builder).textNode},
	{"PassThroughRule", anywhere, "", (*builder).passThrough},
	{"IgnoreRule", anywhere, "", (*builder).ignore},

	{"AnchorRule", inWords, "anchor.href anchor.rel", (*builder).anchor},
	{"BoldRule", inWords, "", (*builder).bold},
	{"ItalicRule", inWords, "", (*builder).italic},
	{"EmphasizedRule", inWords, "", (*builder).italic},
	{"LineBreakRule", inWords, "", (*builder).lineBreak},
	{"ParagraphRule", anywhere, "", (*builder).paragraph},
	{"PreformattedRule", anywhere, "", (*builder).preformatted},
	{"H1Rule", inArticle | inHeader | inCaption, "h1.class", (*builder).h1},
	{"H2Rule", inArticle | inHeader | inCaption, "h2.class", (*builder).h2},
	{"BlockquoteRule", inArticle, "", (*builder).blockquote},
	{"PullquoteRule", inArticle, "", (*builder).pullquote},
	{"PullquoteCiteRule", inPullquote, "", (*builder).pullquoteCite},
	{"ListElementRule", anywhere &^ (inHeader | inRelated), "", (*builder).list},
	{"ListItemRule", anywhere &^ (inHeader | inRelated), "", (*builder).listItem},

	{"FigureRule", anywhere, "", (*builder).figureBox},
	{"CaptionRule", inFigure | inSlideshow, "caption.default", (*builder).caption},
	{"CaptionCreditRule", inCaption | inFigure | inSlideshow, "", (*builder).captionCredit},
	{"ImageRule", anywhere, imageKeys, (*builder).image},
	{"ImageInsideParagraphRule", inParagraph, imageKeys, (*builder).image},
	{"SlideshowImageRule", inSlideshow, "image.url caption.title caption.credit", (*builder).image},
	{"SlideshowRule", anywhere, "", (*builder).slideshow},
	{"JetpackSlideshowRule", anywhere, "jetpack.data-gallery", (*builder).jetpack},
	{"VideoRule", anywhere, videoKeys, (*builder).video},
	{"SlideshowVideoRule", inSlideshow, videoKeys, (*builder).video},
	{"AudioRule", anywhere, "audio.url audio.title audio.autoplay audio.muted", (*builder).audio},
	{"MapRule", anywhere, "", (*builder).mapFigure},
	{"GeoTagRule", inFigure | inSlideshow, "map.geotag", (*builder).geotag},
	{"InteractiveRule", anywhere, interactiveKeys, (*builder).interactive},
	{"InteractiveInsideParagraphRule", inParagraph, interactiveKeys, (*builder).interactive},
	{"SocialEmbedRule", anywhere, "socialembed.iframe socialembed.url socialembed.width socialembed.height",
		(*builder).interactive},
	{"TableRule", anywhere, "", (*builder).table},
	{"AdRule", anywhere, "ad.url ad.height ad.width ad.embed", (*builder).ad},
	{"AnalyticsRule", anywhere, "analytics.url analytics.embed", (*builder).analytics},
	{"RelatedArticlesRule", anywhere, "related.title", (*builder).related},
	{"FooterRelatedArticlesRule", inFooter, "related.title", (*builder).related},
	{"RelatedItemRule", inRelated, "related.url related.sponsored", (*builder).relatedItem},

	{"HeaderRule", inArticle, "", (*builder).headerBox},
	{"HeaderTitleRule", inHeader, "", (*builder).headerTitle},
	{"HeaderSubTitleRule", inHeader, "", (*builder).headerSubtitle},
	{"HeaderKickerRule", inHeader, "", (*builder).headerKicker},
	{"HeaderImageRule", inHeader, "image.url", (*builder).image},
	{"HeaderAdRule", inHeader, "ad.url ad.height ad.width ad.embed", (*builder).ad},
	{"AuthorRule", inHeader, "author.url author.name author.description author.role_contribution", (*builder).author},
	{"SponsorRule", inHeader, "sponsor.page_url", (*builder).sponsor},
	{"TimeRule", inHeader, "article.time article.datetype article.time_type", (*builder).time},
	{"FooterRule", inArticle, "", (*builder).footerBox},
	{"FooterSmallRule", inFooter, "", (*builder).footerSmall},
	{"ParagraphFooterRule", inFooter, "", (*builder).footerCredit},
	{"InstantArticleRule", inArticle, "article.canonical article.charset article.markup.version article.auto.ad " +
		"article.recirculation.ad article.style", (*builder).articleMeta},
	{"GlobalRule", inArticle, "author.url author.name author.description author.role_contribution article.title " +
		"article.canonical article.publish article.body image.url", (*builder).global},
}
