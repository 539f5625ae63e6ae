package articles

import (
	"cmp"
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/placement"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	matchedVisits = 200      // of each feed, searched for the client of an impression
	shownMarkup   = 16 << 10 // bytes of a text on the page
)

// articleView is the data of article.html.
type articleView struct {
	web.Frame
	way
	UUID, Name string
	Ballot     web.Ballot
	Once       string
	Live       string
	MayPublish bool
	Facts      web.Facts
	Places     []fullPlace
	Events     []eventRow
	Versions   []versionRow
	Result     *resultBlock // nil: there are no feeds
	Source     string       // markup of the source, shortened
	SourceMore int          // bytes that are left out
}

// fullPlace is an article in one feed with the reason for its state.
type fullPlace struct {
	placeRow
	Why    string
	Mood   string
	SeenBy []eventRow // impressions, newest first
}

// resultBlock is an article as the chosen feed carries it.
type resultBlock struct {
	placement.Preview
	More   int    // bytes of the markup that are left out
	Failed string // why there is no preview
}

// showArticle serves "/articles/{uuid}".
func (as *Articles) showArticle(w http.ResponseWriter, r *http.Request) error {
	types := as.opts.Feeds.Types()
	found, err := as.view(r, types, matchedVisits)
	if err != nil {
		return err
	}
	now, a, v := as.web.Now(), &found.Article, web.VisitorOf(r)
	view := articleView{
		Frame: web.Frame{Title: a.Name()}, UUID: a.UUID, Name: a.Name(), Once: rand.Text(), MayPublish: v.May(feed.ScopePublish),
		Live: "/articles/" + a.UUID + "/live", Facts: factsOf(&found, now),
		Events: articleEvents(&found, types), Versions: versionRows(found.Versions),
	}
	if view.way, err = as.wayOf(r, a); err != nil {
		return err
	}
	ballots, err := as.ballots(r, a)
	if err != nil {
		return err
	}
	view.Ballot = ballots[a.Entry]
	view.Source, view.SourceMore = shorten(a.Content)
	chosen := r.URL.Query().Get("feed")
	if !slices.Contains(types, chosen) && len(types) > 0 {
		chosen = types[0]
	}
	for i := range as.opts.Feeds {
		f := &as.opts.Feeds[i]
		why, err := as.blocked(r.Context(), a, f.Type)
		if err != nil {
			return err
		}
		if f.Type == chosen {
			preview, err := as.opts.Preview(r.Context(), *a, chosen)
			view.Result, why = &resultBlock{Preview: preview}, cmp.Or(preview.Blocked, why)
			view.Result.Markup, view.Result.More = shorten(preview.Markup)
			if err != nil {
				view.Result = &resultBlock{Preview: placement.Preview{Feed: chosen}, Failed: web.Sentence(err.Error())}
			}
		}
		view.Places = append(view.Places, fullPlaceOf(&found, f, why, now))
	}
	w.Header().Set("Content-Security-Policy", w.Header().Get("Content-Security-Policy")+"; frame-src 'self'")
	return as.web.Render(w, r, "article.html", &view)
}

func factsOf(view *feed.ArticleView, now time.Time) (all web.Facts) {
	a := &view.Article
	all.Link("Address", a.Canonical)
	if view.Source.ID != "" {
		all = append(all, web.Fact{Name: "Source", Text: view.Source.Name(), Link: "/sources/" + view.Source.ID})
	} else {
		all.Text("Source", a.FeedURL+" (removed)")
	}
	all.Text("Authors", strings.Join(a.Authors, ", "))
	all.Text("Categories", strings.Join(a.Categories, ", "))
	all.Time("Published by its source", web.Ago(a.Published, now))
	all.Time("Changed by its source", web.Ago(a.Modified, now))
	all.Time("Last change here", web.Ago(a.Updated, now))
	all.Text("Summary", web.Cut(a.Summary, 500))
	all.Link("Image", a.Image)
	for _, e := range a.Enclosures {
		all.Link("Enclosure", e.URL)
	}
	all.Text("GUID", a.GUID)
	all.Text("Entry", a.Entry)
	all.Text("Digest", a.Digest)
	return all
}

// fullPlaceOf returns an article in a feed that leaves it out, or would, for the reason why; empty: it does not.
func fullPlaceOf(view *feed.ArticleView, f *feed.Outgoing, why string, now time.Time) fullPlace {
	a := &view.Article
	p, state := a.Feeds[f.Type], a.StateIn(f.Type)
	place := fullPlace{placeRow: placeRowOf(a, f, why, now), Mood: "wait"}
	for _, at := range p.Impressions {
		place.SeenBy = append(place.SeenBy, eventRow{Time: at, Who: clientAt(view.Visits[f.Type], at)})
	}
	p.State = state
	next := placement.Next(p, f, now)
	switch {
	case place.Blocked != "":
		place.Mood, place.Why = "trouble", "It is not in the feed. It is published but blocked: "+place.Blocked+"."
	case state == feed.StatePublished:
		place.Mood, place.Why = "well", "It is in the feed. It was published"+placement.When(p.Published, now)+"; it "+next+"."
	case state == feed.StateUnpublished && view.Source.ID != "" && !f.Accepts(&view.Source):
		place.Why = "It is not in the feed. The feed does not take its source, but an editor can publish it."
	case state == feed.StateUnpublished:
		place.Why = "It is not in the feed. It " + next + "."
	case state == feed.StateExpired:
		place.Why = "It is no longer in the feed. It " + next + "."
	default:
		place.Why = "It is no longer in the feed. It was " + next + "."
	}
	if place.Would != "" {
		place.Why += " If it is published, it will be blocked: " + place.Would + "."
	}
	return place
}

// shorten returns as much of a text as a page shows, and how many bytes it leaves out.
func shorten(s string) (string, int) {
	short := web.Cut(s, shownMarkup)
	return strings.ToValidUTF8(short, ""), len(s) - len(short)
}
