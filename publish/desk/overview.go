package desk

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// How much the overview shows, and asks for.
const (
	shownSignals = 8
	shownImports = 4
	shownNeeds   = 5  // of one kind
	heldLooked   = 50 // articles of a feed that may be held back still
)

// overview serves "/": what needs a person, how everything goes, and what happened in the last hour.
func (d *Desk) overview(w http.ResponseWriter, r *http.Request) {
	status, page := http.StatusOK, overviewPage{}
	view, err := d.survey(r.Context())
	if err != nil {
		page.Mood = "trouble"
		status, page.Headline = d.excuse(r, err)
	} else {
		page = d.overviewPage(&view)
	}
	page.frame = d.frame(r, "feedwire", 0)
	if page.Mood == "trouble" {
		page.Title = "(!) feedwire"
	}
	d.render(w, r, status, "overview.html", page)
}

// overviewPage is what the template shows.
type overviewPage struct {
	frame
	Mood     string
	Headline string
	Needs    []need
	Tiles    []tile // nil: nothing is known
	Charts   []hourChart
	Signals  []signalRow
}

// survey reads what the overview shows.
func (d *Desk) survey(ctx context.Context) (feed.Overview, error) {
	q := feed.OverviewQuery{
		Types: d.types, Held: make(map[string][]string, len(d.types)), Late: d.opts.Now().Add(-lateAfter), Alarm: alarmAfter,
		Sources: shownNeeds, Signals: shownSignals, Visits: listedVisits, Imports: shownImports,
	}
	for _, typ := range d.types {
		held := d.opts.Held(typ)
		q.Held[typ] = held[:min(heldLooked, len(held))]
	}
	return d.store.Overview(ctx, q)
}

func (d *Desk) overviewPage(view *feed.Overview) overviewPage {
	now := d.opts.Now()
	d.dropServed(view)
	page := overviewPage{Mood: "well", Needs: d.needs(view, now), Tiles: d.tiles(view, now), Charts: hourCharts(view.Minutes)}
	page.Headline = "All is well. Nothing needs you."
	count := 0
	for i := range page.Needs {
		count += page.Needs[i].Count
	}
	switch {
	case count == 1:
		page.Mood, page.Headline = "trouble", "One thing needs you."
	case count > 1:
		page.Mood, page.Headline = "trouble", fmt.Sprintf("%d things need you.", count)
	case sourcesIn(view) == 0:
		page.Headline = "All is well, and nothing to do yet: there are no sources."
	}
	for i := range view.Signals {
		page.Signals = append(page.Signals, signalLine(&view.Signals[i], now))
	}
	return page
}

// dropServed leaves of the articles that feeds have left out those that they would leave out now.
func (d *Desk) dropServed(view *feed.Overview) {
	for i, typ := range d.types {
		out := view.Feeds[i].Out
		kept := out[:0]
		for j := range out {
			if d.opts.HeldBack(&out[j], typ) != "" {
				kept = append(kept, out[j])
			}
		}
		view.Feeds[i].Out = kept
	}
}

func sourcesIn(view *feed.Overview) (n int) {
	for _, count := range view.Sources {
		n += count
	}
	return n
}

// followOverview serves "/live": an event each time the overview shows something else, and each minute, since it tells how
// long ago things were.
func (d *Desk) followOverview(w http.ResponseWriter, r *http.Request) error {
	return d.follow(w, r, func() (uint64, error) {
		view, err := d.survey(r.Context())
		if err != nil {
			return 0, err
		}
		page := d.overviewPage(&view)
		var ids, states []any
		for i := range view.Signals {
			ids = append(ids, view.Signals[i].ID)
		}
		for i := range view.Feeds {
			f := &view.Feeds[i]
			states = append(states, f.Articles, f.Changed, lastCounted(f.Visits))
		}
		for i := range view.Imports {
			ids = append(ids, view.Imports[i].ID, view.Imports[i].Done())
		}
		return sumOf(d.opts.Now().Truncate(time.Minute), page.Headline, len(page.Needs), view.Sources, view.Late, view.Hub, view.Minutes,
			view.Waits, view.Redis.Refuses, states, ids), nil
	})
}
