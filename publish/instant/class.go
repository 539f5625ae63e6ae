package instant

import (
	"golang.org/x/net/html"

	"github.com/feedwire/feedwire/publish/hypertext"
	"github.com/feedwire/feedwire/publish/instant/rulesfile"
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

// class is how one of the classes that a rules file can name is laid out.
type class struct {
	contexts contexts
	lay      layout
}

// rule and getter are those of a rules file.
type (
	rule   = rulesfile.Rule
	getter = rulesfile.Getter
)

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

// classes are those of package rulesfile. Those of media apply anywhere, because media are moved out of the text around them.
var classes = map[string]class{
	"TextNodeRule":    {inWords, (*builder).textNode},
	"PassThroughRule": {anywhere, always((*builder).passThrough)},
	"IgnoreRule":      {anywhere, always((*builder).ignore)},

	"AnchorRule":        {inWords, always((*builder).anchor)},
	"BoldRule":          {inWords, always((*builder).bold)},
	"ItalicRule":        {inWords, always((*builder).italic)},
	"EmphasizedRule":    {inWords, always((*builder).italic)},
	"SuperscriptRule":   {inWords, raised(hypertext.Superscript)},
	"SubscriptRule":     {inWords, raised(hypertext.Subscript)},
	"LineBreakRule":     {inWords, always((*builder).lineBreak)},
	"ParagraphRule":     {anywhere, container(paragraph)},
	"PreformattedRule":  {anywhere, always((*builder).preformatted)},
	"H1Rule":            {inArticle | inHeader | inCaption, always((*builder).h1)},
	"H2Rule":            {inArticle | inHeader | inCaption, always((*builder).h2)},
	"BlockquoteRule":    {inArticle, always((*builder).blockquote)},
	"PullquoteRule":     {inArticle, always((*builder).pullquote)},
	"PullquoteCiteRule": {inPullquote, always((*builder).pullquoteCite)},
	"ListElementRule":   {anywhere &^ (inHeader | inRelated), always((*builder).list)},
	"ListItemRule":      {anywhere &^ (inHeader | inRelated), always((*builder).listItem)},

	"FigureRule":                     {anywhere, always((*builder).figureElement)},
	"CaptionRule":                    {inFigure | inSlideshow, always((*builder).caption)},
	"CaptionCreditRule":              {inCaption | inFigure | inSlideshow, always((*builder).captionCredit)},
	"ImageRule":                      {anywhere, (*builder).image},
	"ImageInsideParagraphRule":       {inParagraph, (*builder).image},
	"SlideshowImageRule":             {inSlideshow, (*builder).image},
	"SlideshowRule":                  {anywhere, always((*builder).slideshow)},
	"JetpackSlideshowRule":           {anywhere, (*builder).jetpack},
	"VideoRule":                      {anywhere, (*builder).video},
	"SlideshowVideoRule":             {inSlideshow, (*builder).video},
	"AudioRule":                      {anywhere, (*builder).audio},
	"MapRule":                        {anywhere, always((*builder).mapFigure)},
	"GeoTagRule":                     {inFigure | inSlideshow, (*builder).geotag},
	"InteractiveRule":                {anywhere, embed("interactive.")},
	"InteractiveInsideParagraphRule": {inParagraph, embed("interactive.")},
	"SocialEmbedRule":                {anywhere, embed("socialembed.")},
	"TableRule":                      {anywhere, always((*builder).table)},
	"AdRule":                         {anywhere, silentFrame("ad.", adKind)},
	"AnalyticsRule":                  {anywhere, silentFrame("analytics.", trackerKind)},
	"RelatedArticlesRule":            {anywhere, (*builder).related},
	"FooterRelatedArticlesRule":      {inFooter, (*builder).related},
	"RelatedItemRule":                {inRelated, always((*builder).relatedItem)},

	"HeaderRule":          {inArticle, always((*builder).headerElement)},
	"HeaderTitleRule":     {inHeader, always((*builder).headerTitle)},
	"HeaderSubTitleRule":  {inHeader, always((*builder).headerSubtitle)},
	"HeaderKickerRule":    {inHeader, (*builder).headerKicker},
	"HeaderImageRule":     {inHeader, (*builder).image},
	"HeaderAdRule":        {inHeader, silentFrame("ad.", adKind)},
	"AuthorRule":          {inHeader, (*builder).author},
	"SponsorRule":         {inHeader, (*builder).sponsor},
	"TimeRule":            {inHeader, (*builder).time},
	"FooterRule":          {inArticle, always((*builder).footerElement)},
	"FooterSmallRule":     {inFooter, container(small)},
	"ParagraphFooterRule": {inFooter, container("aside")},
	"InstantArticleRule":  {inArticle, always((*builder).articleMeta)},
	"GlobalRule":          {inArticle, (*builder).global},
}

// mediaClasses are the classes that can map an element that is a medium itself. The others would show only its content.
var mediaClasses = hypertext.WordSet("TextNodeRule IgnoreRule ImageRule ImageInsideParagraphRule SlideshowImageRule HeaderImageRule " +
	"VideoRule SlideshowVideoRule AudioRule InteractiveRule InteractiveInsideParagraphRule SocialEmbedRule AdRule HeaderAdRule AnalyticsRule")
