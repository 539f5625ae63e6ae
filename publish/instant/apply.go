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
	if len(b.cache) < maxSeen && len(key) < 200 {
		b.cache[key] = list
	}
	return list
}

const maxSeen = 4096 // entries of builder.seen

// apply lays out n with the action of r. It returns false and changes nothing if n lacks what the rule requires.
func (b *builder) apply(r *rules.Rule, n *html.Node, st style) bool {
	switch r.Class.Action {
	case rules.Text:
		return b.textNode(r, n, st)
	case rules.Image:
		return b.image(r, n, st)
	case rules.JetpackSlideshow:
		return b.jetpack(r, n, st)
	case rules.Video:
		return b.video(r, n, st)
	case rules.Audio:
		return b.audio(r, n, st)
	case rules.Geotag:
		return b.geotag(r, n, st)
	case rules.Interactive:
		return b.interactive(r, n, st)
	case rules.Ad:
		return b.ad(r, n, st)
	case rules.Tracker:
		return b.analytics(r, n, st)
	case rules.Related:
		return b.related(r, n, st)
	case rules.HeaderKicker:
		return b.headerKicker(r, n, st)
	case rules.Author:
		return b.author(r, n, st)
	case rules.Sponsor:
		return b.sponsor(r, n, st)
	case rules.Time:
		return b.time(r, n, st)
	case rules.Page:
		return b.global(r, n, st)
	case rules.PassThrough:
		b.passThrough(n, st)
	case rules.Ignore:
		b.ignore(r, n)
	case rules.Link:
		b.anchor(r, n, st)
	case rules.Bold:
		b.bold(n, st)
	case rules.Italic:
		st.italic = true
		b.passThrough(n, st)
	case rules.LineBreak:
		b.add(run{breaks: 1, format: st.format}, st)
		b.flow(n, st)
	case rules.Paragraph:
		b.container(n, paragraph, st)
	case rules.Preformatted:
		st.lines = true
		b.container(n, paragraph, st)
	case rules.H1:
		b.h1(r, n, st)
	case rules.H2:
		b.h2(r, n, st)
	case rules.Blockquote:
		b.blockquote(n, st)
	case rules.Pullquote:
		b.pullquote(n, st)
	case rules.PullquoteCite:
		b.pullquoteCite(n, st)
	case rules.List:
		b.list(n, st)
	case rules.ListItem:
		b.listItem(n, st)
	case rules.Figure:
		b.figureElement(r, n, st)
	case rules.Caption:
		b.caption(r, n, st)
	case rules.CaptionCredit:
		b.captionCredit(r, n, st)
	case rules.Slideshow:
		b.slideshow(n)
	case rules.Map:
		b.mapFigure(n)
	case rules.Table:
		b.table(n, st)
	case rules.RelatedItem:
		b.relatedItem(r, n)
	case rules.Header:
		b.headerElement(n)
	case rules.HeaderTitle:
		b.headerTitle(n, st)
	case rules.HeaderSubtitle:
		b.headerSubtitle(n)
	case rules.Footer:
		b.footerElement(n)
	case rules.FooterCopyright:
		b.container(n, small, st)
	case rules.FooterCredit:
		b.container(n, "aside", st)
	case rules.Meta:
		b.articleMeta(r, n, st)
	}
	return true
}
