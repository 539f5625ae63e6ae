package instant

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
)

// contexts is a set of positions in an article. A rule applies in the contexts of its class only, so one selector can select
// a paragraph in the body and plain text in a list item.
type contexts uint16

// The contexts.
const (
	inArticle contexts = 1 << iota
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
	anywhere contexts = 1<<iota - 1
	inBody            = inArticle | inParagraph | inText
	inWords           = inText | inHeader | inRelated // where text has a format
)

// class is one of the classes that a rules file can name.
type class struct {
	name       string // without a namespace
	contexts   contexts
	properties string // separated by spaces; positions are properties of every class
	lay        layout
}

// layout lays out n by a rule. It returns false and changes nothing if n lacks what the rule requires.
type layout func(b *builder, r *rule, n *html.Node, st style) bool

// always returns a layout that never fails.
func always(lay func(b *builder, r *rule, n *html.Node, st style)) layout {
	return func(b *builder, r *rule, n *html.Node, st style) bool {
		lay(b, r, n, st)
		return true
	}
}

// container returns a layout as a block.
func container(tag string) layout {
	return always(func(b *builder, _ *rule, n *html.Node, st style) { b.container(n, tag, st) })
}

// positions are the properties and classes that position a heading or a caption.
const positions = "op-left op-center op-right op-vertical-above op-vertical-below op-vertical-center op-vertical-top " +
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
var classes = []class{
	{"TextNodeRule", inWords, "text", (*builder).textNode},
	{"PassThroughRule", anywhere, "", always((*builder).passThrough)},
	{"IgnoreRule", anywhere, "", always((*builder).ignore)},

	{"AnchorRule", inWords, "anchor.href anchor.rel", always((*builder).anchor)},
	{"BoldRule", inWords, "", always((*builder).bold)},
	{"ItalicRule", inWords, "", always((*builder).italic)},
	{"EmphasizedRule", inWords, "", always((*builder).italic)},
	{"SuperscriptRule", inWords, "", raised(hypertext.Superscript)},
	{"SubscriptRule", inWords, "", raised(hypertext.Subscript)},
	{"LineBreakRule", inWords, "", always((*builder).lineBreak)},
	{"ParagraphRule", anywhere, "", container(paragraph)},
	{"PreformattedRule", anywhere, "", always((*builder).preformatted)},
	{"H1Rule", inArticle | inHeader | inCaption, "h1.class", always((*builder).h1)},
	{"H2Rule", inArticle | inHeader | inCaption, "h2.class", always((*builder).h2)},
	{"BlockquoteRule", inArticle, "", always((*builder).blockquote)},
	{"PullquoteRule", inArticle, "", always((*builder).pullquote)},
	{"PullquoteCiteRule", inPullquote, "", always((*builder).pullquoteCite)},
	{"ListElementRule", anywhere &^ (inHeader | inRelated), "", always((*builder).list)},
	{"ListItemRule", anywhere &^ (inHeader | inRelated), "", always((*builder).listItem)},

	{"FigureRule", anywhere, "", always((*builder).figureElement)},
	{"CaptionRule", inFigure | inSlideshow, "caption.default", always((*builder).caption)},
	{"CaptionCreditRule", inCaption | inFigure | inSlideshow, "", always((*builder).captionCredit)},
	{"ImageRule", anywhere, imageKeys, (*builder).image},
	{"ImageInsideParagraphRule", inParagraph, imageKeys, (*builder).image},
	{"SlideshowImageRule", inSlideshow, "image.url caption.title caption.credit", (*builder).image},
	{"SlideshowRule", anywhere, "", always((*builder).slideshow)},
	{"JetpackSlideshowRule", anywhere, "jetpack.data-gallery", (*builder).jetpack},
	{"VideoRule", anywhere, videoKeys, (*builder).video},
	{"SlideshowVideoRule", inSlideshow, videoKeys, (*builder).video},
	{"AudioRule", anywhere, "audio.url audio.title audio.autoplay audio.muted", (*builder).audio},
	{"MapRule", anywhere, "", always((*builder).mapFigure)},
	{"GeoTagRule", inFigure | inSlideshow, "map.geotag", (*builder).geotag},
	{"InteractiveRule", anywhere, interactiveKeys, embed("interactive.")},
	{"InteractiveInsideParagraphRule", inParagraph, interactiveKeys, embed("interactive.")},
	{"SocialEmbedRule", anywhere, "socialembed.iframe socialembed.url socialembed.width socialembed.height", embed("socialembed.")},
	{"TableRule", anywhere, "", always((*builder).table)},
	{"AdRule", anywhere, "ad.url ad.height ad.width ad.embed", silentFrame("ad.", adKind)},
	{"AnalyticsRule", anywhere, "analytics.url analytics.embed", silentFrame("analytics.", trackerKind)},
	{"RelatedArticlesRule", anywhere, "related.title", (*builder).related},
	{"FooterRelatedArticlesRule", inFooter, "related.title", (*builder).related},
	{"RelatedItemRule", inRelated, "related.url related.sponsored", always((*builder).relatedItem)},

	{"HeaderRule", inArticle, "", always((*builder).headerElement)},
	{"HeaderTitleRule", inHeader, "", always((*builder).headerTitle)},
	{"HeaderSubTitleRule", inHeader, "", always((*builder).headerSubtitle)},
	{"HeaderKickerRule", inHeader, "", (*builder).headerKicker},
	{"HeaderImageRule", inHeader, "image.url", (*builder).image},
	{"HeaderAdRule", inHeader, "ad.url ad.height ad.width ad.embed", silentFrame("ad.", adKind)},
	{"AuthorRule", inHeader, "author.url author.name author.description author.role_contribution", (*builder).author},
	{"SponsorRule", inHeader, "sponsor.page_url", (*builder).sponsor},
	{"TimeRule", inHeader, "article.time article.datetype article.time_type", (*builder).time},
	{"FooterRule", inArticle, "", always((*builder).footerElement)},
	{"FooterSmallRule", inFooter, "", container(small)},
	{"ParagraphFooterRule", inFooter, "", container("aside")},
	{"InstantArticleRule", inArticle, "article.canonical article.charset article.markup.version article.auto.ad " +
		"article.recirculation.ad article.style", always((*builder).articleMeta)},
	{"GlobalRule", inArticle, "author.url author.name author.description author.role_contribution article.title " +
		"article.canonical article.publish article.body image.url", (*builder).global},
}

// mediaClasses are the classes that can map an element that is a medium itself. The others would show only its content.
var mediaClasses = hypertext.WordSet("TextNodeRule IgnoreRule ImageRule ImageInsideParagraphRule SlideshowImageRule HeaderImageRule " +
	"VideoRule SlideshowVideoRule AudioRule InteractiveRule InteractiveInsideParagraphRule SocialEmbedRule AdRule HeaderAdRule AnalyticsRule")

// parseClass finds a class by its name in any case, with or without a namespace.
func parseClass(name string) (*class, bool) {
	if at := strings.LastIndexAny(name, `\/.`); at >= 0 {
		name = name[at+1:]
	}
	for i := range classes {
		if strings.EqualFold(classes[i].name, name) {
			return &classes[i], true
		}
	}
	return nil, false
}

// has reports whether rules of the class may have a property.
func (c *class) has(property string) bool {
	return hypertext.HasWord(c.properties, property) || hypertext.HasWord(positions, property)
}
