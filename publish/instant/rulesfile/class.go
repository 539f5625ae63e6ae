package rulesfile

import (
	"strings"

	"github.com/feedwire/feedwire/publish/hypertext"
)

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

// Classes are the names that a rules file can use, each with its properties, separated by spaces. Positions are properties of every
// class.
var Classes = []struct{ Name, Properties string }{
	{"TextNodeRule", "text"},
	{"PassThroughRule", ""},
	{"IgnoreRule", ""},

	{"AnchorRule", "anchor.href anchor.rel"},
	{"BoldRule", ""},
	{"ItalicRule", ""},
	{"EmphasizedRule", ""},
	{"SuperscriptRule", ""},
	{"SubscriptRule", ""},
	{"LineBreakRule", ""},
	{"ParagraphRule", ""},
	{"PreformattedRule", ""},
	{"H1Rule", "h1.class"},
	{"H2Rule", "h2.class"},
	{"BlockquoteRule", ""},
	{"PullquoteRule", ""},
	{"PullquoteCiteRule", ""},
	{"ListElementRule", ""},
	{"ListItemRule", ""},

	{"FigureRule", ""},
	{"CaptionRule", "caption.default"},
	{"CaptionCreditRule", ""},
	{"ImageRule", imageKeys},
	{"ImageInsideParagraphRule", imageKeys},
	{"SlideshowImageRule", "image.url caption.title caption.credit"},
	{"SlideshowRule", ""},
	{"JetpackSlideshowRule", "jetpack.data-gallery"},
	{"VideoRule", videoKeys},
	{"SlideshowVideoRule", videoKeys},
	{"AudioRule", "audio.url audio.title audio.autoplay audio.muted"},
	{"MapRule", ""},
	{"GeoTagRule", "map.geotag"},
	{"InteractiveRule", interactiveKeys},
	{"InteractiveInsideParagraphRule", interactiveKeys},
	{"SocialEmbedRule", "socialembed.iframe socialembed.url socialembed.width socialembed.height"},
	{"TableRule", ""},
	{"AdRule", "ad.url ad.height ad.width ad.embed"},
	{"AnalyticsRule", "analytics.url analytics.embed"},
	{"RelatedArticlesRule", "related.title"},
	{"FooterRelatedArticlesRule", "related.title"},
	{"RelatedItemRule", "related.url related.sponsored"},

	{"HeaderRule", ""},
	{"HeaderTitleRule", ""},
	{"HeaderSubTitleRule", ""},
	{"HeaderKickerRule", ""},
	{"HeaderImageRule", "image.url"},
	{"HeaderAdRule", "ad.url ad.height ad.width ad.embed"},
	{"AuthorRule", "author.url author.name author.description author.role_contribution"},
	{"SponsorRule", "sponsor.page_url"},
	{"TimeRule", "article.time article.datetype article.time_type"},
	{"FooterRule", ""},
	{"FooterSmallRule", ""},
	{"ParagraphFooterRule", ""},
	{"InstantArticleRule", "article.canonical article.charset article.markup.version article.auto.ad article.recirculation.ad article.style"},
	{"GlobalRule", "author.url author.name author.description author.role_contribution article.title article.canonical article.publish article.body image.url"},
}

// classNamed returns the class with a name in any case, with or without a namespace, or an empty string.
func classNamed(name string) string {
	if at := strings.LastIndexAny(name, `\/.`); at >= 0 {
		name = name[at+1:]
	}
	for _, c := range Classes {
		if strings.EqualFold(c.Name, name) {
			return c.Name
		}
	}
	return ""
}

// hasProperty reports whether rules of a class may have a property.
func hasProperty(class, property string) bool {
	for _, c := range Classes {
		if c.Name == class && hypertext.HasWord(c.Properties, property) {
			return true
		}
	}
	return hypertext.HasWord(Positions, property)
}
