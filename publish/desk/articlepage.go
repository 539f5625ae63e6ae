package desk

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	matchedVisits = 200      // of each feed, looked through for who took an article
	shownMarkup   = 16 << 10 // bytes of a text on the page
	visitSlack    = 5 * time.Second
)

// articlePage is what the template shows.
type articlePage struct {
	frame
	Notice     notice
	UUID, Name string
	Once       string
	Live       string
	MayPublish bool
	Facts      facts
	Places     []fullPlace
	Events     []eventRow
	Versions   []versionRow
	Results    []resultBlock
	Source     string // markup of the source, as much as is shown
	SourceMore int    // bytes that are not
}

// fullPlace is an article in one feed, with all that is known about that.
type fullPlace struct {
	placeRow
	Why    string // it is in the feed now, or not
	Mood   string
	SeenBy []eventRow // impressions, newest first
}

// eventRow is something that happened.
type eventRow struct {
	at            time.Time
	Time          moment
	Who, What     string
	Before, After string
}

// versionRow is a version, with what came with it.
type versionRow struct {
	Time    moment
	Title   string
	Now     bool
	First   bool // there is none before it that is kept
	Changes []diffPart
	Same    bool // but for the title
	Cut     bool
}

// resultBlock is what a feed makes of an article.
type resultBlock struct {
	Feed     string
	On       bool
	HeldBack string
	Markup   string
	More     int
	Findings []Finding
	Notes    []PreviewNote
	Failed   string // why nothing can be shown
}

// showArticlePage serves "/articles/{uuid}": what an article is, where it stands and why, and what becomes of it.
func (d *Desk) showArticlePage(w http.ResponseWriter, r *http.Request) error {
	uuid, err := articleUUID(r)
	if err != nil {
		return err
	}
	view, err := d.store.ArticleView(r.Context(), uuid, d.types, matchedVisits)
	if errors.Is(err, feed.ErrNotFound) {
		return fmt.Errorf("article %w: it may be long gone", err)
	}
	if err != nil {
		return err
	}
	now, a := d.opts.Now(), &view.Article
	page := articlePage{
		frame: d.frame(r, articleName(a)+" – feedwire", 0), Notice: noticeOf(r), UUID: uuid, Name: articleName(a), Once: rand.Text(),
		Live: "/articles/" + uuid + "/live", MayPublish: feed.Allow(visitorOf(r).scopes, feed.ScopePublish), Facts: articleFacts(&view, now),
		Events: eventsOf(&view, d.types, now), Versions: versionRows(view.Versions, now),
	}
	page.Source, page.SourceMore = shorten(a.Content)
	chosen := r.URL.Query().Get("feed")
	if !slices.Contains(d.types, chosen) && len(d.types) > 0 {
		chosen = d.types[0]
	}
	for i := range d.opts.Feeds {
		f := &d.opts.Feeds[i]
		brief := *a
		brief.Content = "" // what other feeds make of it would take time; they know what they have tried
		held := d.opts.HeldBack(&brief, f.Type)
		if d.opts.Preview != nil {
			result := d.resultOf(r.Context(), a, f.Type, chosen)
			held = cmp.Or(result.HeldBack, held)
			page.Results = append(page.Results, result)
		}
		page.Places = append(page.Places, d.fullPlaceOf(&view, f, held, now))
	}
	w.Header().Set("Content-Security-Policy", w.Header().Get("Content-Security-Policy")+"; frame-src 'self'")
	d.render(w, r, http.StatusOK, "article.html", page)
	return nil
}

func articleFacts(view *feed.ArticleView, now time.Time) (all facts) {
	a := &view.Article
	all.link("Address", a.Canonical)
	if view.Source.ID != "" {
		all = append(all, fact{Name: "Source", Text: nameOf(&view.Source), Link: "/sources/" + view.Source.ID})
	} else {
		all.text("Source", a.FeedURL+" (removed)")
	}
	all.text("Authors", strings.Join(a.Authors, ", "))
	all.text("Categories", strings.Join(a.Categories, ", "))
	all.time("Published by its source", ago(a.Published, now))
	all.time("Changed by its source", ago(a.Modified, now))
	all.time("Came or changed here", ago(a.Updated, now))
	all.text("Summary", cutTo(a.Summary, 500))
	all.link("Image", a.Image)
	for _, e := range a.Enclosures {
		all.link("Enclosure", e.URL)
	}
	all.text("GUID", a.GUID)
	all.text("Entry", a.Entry)
	all.text("Digest", a.Digest)
	return all
}

func (d *Desk) fullPlaceOf(view *feed.ArticleView, f *feed.Outgoing, held string, now time.Time) fullPlace {
	a := &view.Article
	p, state := a.Feeds[f.Type], stateIn(a, f.Type)
	place := fullPlace{placeRow: d.placeRowOf(a, f, held, now), Mood: "wait"}
	for _, at := range p.Impressions {
		place.SeenBy = append(place.SeenBy, eventRow{Time: ago(at, now), Who: agentAt(view.Visits[f.Type], at)})
	}
	p.State = state
	next := whatNext(p, f, now)
	switch {
	case place.HeldBack != "":
		place.Mood, place.Why = "trouble", "It is not in the feed. It is published, but held back: "+place.HeldBack+"."
	case state == feed.StatePublished:
		place.Mood, place.Why = "well", "It is in the feed. It was published"+when(p.Published, now)+"; it "+next+"."
	case state == feed.StateKnown && view.Source.ID != "" && !f.Takes(&view.Source):
		place.Why = "It is not in the feed. The feed does not take its source, but an editor can publish it all the same."
	case state == feed.StateKnown:
		place.Why = "It is not in the feed. It " + next + "."
	default:
		place.Why = "It is not in the feed any more. It was " + next + "."
		if state == feed.StateExpired {
			place.Why = "It is not in the feed any more. It " + next + "."
		}
	}
	return place
}

// agentAt is who came for a feed when an impression was counted. Impressions do not say it; the visits of that moment do.
func agentAt(visits []feed.Visit, at time.Time) string {
	for _, v := range visits {
		if v.Counted && at.Sub(v.Time).Abs() <= visitSlack {
			return v.Client
		}
	}
	return ""
}

// eventsOf is what happened to an article, newest first: by people, by its consumers, and by its source.
func eventsOf(view *feed.ArticleView, types []string, now time.Time) (all []eventRow) {
	add := func(at time.Time, who, what, before, after string) {
		if !at.IsZero() {
			all = append(all, eventRow{at: at, Time: ago(at, now), Who: who, What: what, Before: before, After: after})
		}
	}
	people := make(map[string]bool) // "production 1795206000": somebody published it there then
	for i := range view.Deeds {
		e := &view.Deeds[i]
		_, typ, _ := strings.Cut(e.On, " in ")
		add(e.Time, e.Who, deedWord(e)+" it in "+typ, spaced(e.Before), spaced(e.After))
		for _, near := range []int64{-1, 0, 1} {
			people[fmt.Sprint(typ, e.Time.Unix()+near)] = true
		}
	}
	for _, typ := range types {
		p := view.Article.Feeds[typ]
		if !people[fmt.Sprint(typ, p.Published.Unix())] {
			add(p.Published, "feedwire", "published it in "+typ+", as its source is set up", "", "published")
		}
		for i, at := range p.Impressions {
			add(at, cmp.Or(agentAt(view.Visits[typ], at), "a consumer"), fmt.Sprintf("fetched it from %s, impression %d", typ, len(p.Impressions)-i), "", "")
		}
		add(p.Imported, "a consumer", "had fetched it from "+typ+" often enough", "published", "imported")
		add(p.Expired, "feedwire", "let it age out of "+typ, "published", "expired")
	}
	for i := range view.Versions {
		what := "its source changed it"
		if i == len(view.Versions)-1 && len(view.Versions) < feed.VersionsKept {
			what = "it came"
		}
		add(view.Versions[i].Time, nameOfSource(view), what, "", "")
	}
	slices.SortStableFunc(all, func(a, b eventRow) int { return b.at.Compare(a.at) })
	return all
}

func nameOfSource(view *feed.ArticleView) string {
	if view.Source.ID == "" {
		return view.Article.FeedURL
	}
	return nameOf(&view.Source)
}

func spaced(s string) string { return strings.ReplaceAll(s, "_", " ") }

// versionRows are the versions, each with how it differs from the one before.
func versionRows(versions []feed.Version, now time.Time) (rows []versionRow) {
	for i := range versions {
		v := &versions[i]
		row := versionRow{Time: ago(v.Time, now), Title: v.Title, Now: i == 0, First: i == len(versions)-1, Cut: v.Cut}
		if !row.First {
			before := &versions[i+1]
			row.Cut = v.Cut || before.Cut
			row.Changes = diff(before.Title+"\n"+before.Content, v.Title+"\n"+v.Content)
			row.Same = before.Title == v.Title && before.Content == v.Content
		}
		rows = append(rows, row)
	}
	return rows
}

// resultOf is what a feed makes of an article.
func (d *Desk) resultOf(ctx context.Context, a *feed.Article, typ, chosen string) resultBlock {
	block := resultBlock{Feed: typ, On: typ == chosen}
	if !block.On {
		return block
	}
	preview, err := d.opts.Preview(ctx, *a, typ)
	if err != nil {
		block.Failed = sentence(err.Error())
		return block
	}
	block.HeldBack, block.Findings, block.Notes = preview.HeldBack, preview.Findings, preview.Warnings
	block.Markup, block.More = shorten(preview.Markup)
	return block
}

// shorten is as much of a text as a page shows, and how many bytes it leaves out.
func shorten(s string) (string, int) {
	short := cutTo(s, shownMarkup)
	return strings.ToValidUTF8(short, ""), len(s) - len(short)
}
