package instant

import (
	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/rules"
)

// candidates returns the rules that may match n, highest priority first.
func (b *builder) candidates(n *html.Node) []*rules.Rule {
	classes := hypertext.Attr(n, "class")
	key := n.Data + " " + classes
	if list, ok := b.cache[key]; ok {
		return list
	}
	list := b.rules.Candidates(n.Data, classes)
	if len(b.cache) < maxCached && len(key) < 200 {
		b.cache[key] = list
	}
	return list
}

const maxCached = 4096 // entries of builder.cache

// layout lays out n by a rule. It returns false and changes nothing if n lacks what the rule requires.
type layout func(b *builder, r *rules.Rule, n *html.Node, st style) bool

// layouts has the layout of each class of rules. Only layOut may refer to it, because the layouts call each other.
var layouts = map[string]layout{
	"TextNodeRule":    (*builder).textNode,
	"PassThroughRule": always((*builder).passThrough),
	"IgnoreRule":      always((*builder).ignore),

	"AnchorRule":        always((*builder).anchor),
	"BoldRule":          always((*builder).bold),
	"ItalicRule":        always((*builder).italic),
	"EmphasizedRule":    always((*builder).italic),
	"LineBreakRule":     always((*builder).lineBreak),
	"ParagraphRule":     container(paragraph),
	"PreformattedRule":  always((*builder).preformatted),
	"H1Rule":            always((*builder).h1),
	"H2Rule":            always((*builder).h2),
	"BlockquoteRule":    always((*builder).blockquote),
	"PullquoteRule":     always((*builder).pullquote),
	"PullquoteCiteRule": always((*builder).pullquoteCite),
	"ListElementRule":   always((*builder).list),
	"ListItemRule":      always((*builder).listItem),

	"FigureRule":                     always((*builder).figureElement),
	"CaptionRule":                    always((*builder).caption),
	"CaptionCreditRule":              always((*builder).captionCredit),
	"ImageRule":                      (*builder).image,
	"ImageInsideParagraphRule":       (*builder).image,
	"SlideshowImageRule":             (*builder).image,
	"SlideshowRule":                  always((*builder).slideshow),
	"JetpackSlideshowRule":           (*builder).jetpack,
	"VideoRule":                      (*builder).video,
	"SlideshowVideoRule":             (*builder).video,
	"AudioRule":                      (*builder).audio,
	"MapRule":                        always((*builder).mapFigure),
	"GeoTagRule":                     (*builder).geotag,
	"InteractiveRule":                embed("interactive."),
	"InteractiveInsideParagraphRule": embed("interactive."),
	"SocialEmbedRule":                embed("socialembed."),
	"TableRule":                      always((*builder).table),
	"AdRule":                         silentFrame("ad.", adKind),
	"AnalyticsRule":                  silentFrame("analytics.", trackerKind),
	"RelatedArticlesRule":            (*builder).related,
	"FooterRelatedArticlesRule":      (*builder).related,
	"RelatedItemRule":                always((*builder).relatedItem),

	"HeaderRule":          always((*builder).headerElement),
	"HeaderTitleRule":     always((*builder).headerTitle),
	"HeaderSubTitleRule":  always((*builder).headerSubtitle),
	"HeaderKickerRule":    (*builder).headerKicker,
	"HeaderImageRule":     (*builder).image,
	"HeaderAdRule":        silentFrame("ad.", adKind),
	"AuthorRule":          (*builder).author,
	"SponsorRule":         (*builder).sponsor,
	"TimeRule":            (*builder).time,
	"FooterRule":          always((*builder).footerElement),
	"FooterSmallRule":     container(small),
	"ParagraphFooterRule": container("aside"),
	"InstantArticleRule":  always((*builder).articleMeta),
	"GlobalRule":          (*builder).global,
}

// always returns a layout that never fails.
func always(lay func(b *builder, r *rules.Rule, n *html.Node, st style)) layout {
	return func(b *builder, r *rules.Rule, n *html.Node, st style) bool {
		lay(b, r, n, st)
		return true
	}
}

// container returns a layout as a block.
func container(tag string) layout {
	return always(func(b *builder, _ *rules.Rule, n *html.Node, st style) { b.container(n, tag, st) })
}
