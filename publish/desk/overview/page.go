package overview

import (
	"fmt"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	shownSignals = 8
	shownImports = 4
	shownVisits  = 200
	shownNeeds   = 5  // of one kind
	maxBlocked   = 50 // checked articles of a feed
)

// show serves "/".
func (o *Overview) show(w http.ResponseWriter, r *http.Request) error {
	var page pageView
	if view, err := o.read(r.Context()); err != nil {
		page.Mood = "trouble"
		page.Status, page.Headline = o.web.Excuse(r, err)
	} else {
		page = o.viewOf(view)
	}
	page.Alert = page.Mood == "trouble"
	return o.web.Render(w, r, "overview.html", &page)
}

// pageView is the data of overview.html.
type pageView struct {
	web.Frame
	Mood     string
	Headline string
	Needs    []need
	Steps    []step // first ones; nil: none
	Tiles    []tile // nil: the store is unavailable
	Charts   []hourChart
	Signals  []feed.Signal
}

func (o *Overview) viewOf(view *state) pageView {
	now := o.web.Now()
	page := pageView{
		Mood: "well", Headline: "Everything is OK.", Needs: o.needs(view, now), Steps: o.firstSteps(view),
		Tiles: o.tiles(view, now), Charts: hourCharts(view.Minutes), Signals: view.Signals,
	}
	count, sources := len(page.Needs), 0
	for i := range page.Needs {
		count += page.Needs[i].more
	}
	for _, n := range view.Sources {
		sources += n
	}
	switch {
	case count == 1:
		page.Mood, page.Headline = "trouble", "1 problem needs attention."
	case count > 1:
		page.Mood, page.Headline = "trouble", fmt.Sprintf("%d problems need attention.", count)
	case sources == 0:
		page.Headline = "Everything is OK. There are no sources yet."
	}
	return page
}

// follow serves "/live": an event whenever the overview changes, and every minute, because the page shows relative times.
func (o *Overview) follow(w http.ResponseWriter, r *http.Request) error {
	return o.web.Follow(w, r, func() ([]any, error) {
		view, err := o.read(r.Context())
		if err != nil {
			return nil, err
		}
		page := o.viewOf(view)
		var ids, states []any
		for i := range view.Signals {
			ids = append(ids, view.Signals[i].ID)
		}
		for i := range view.Feeds {
			f := &view.Feeds[i]
			states = append(states, f.Articles, f.Changed, feed.LastCounted(f.Visits))
		}
		for i := range view.Imports {
			ids = append(ids, view.Imports[i].ID, view.Imports[i].Done())
		}
		return []any{
			o.web.Now().Truncate(time.Minute), page.Headline, len(page.Needs), view.Sources, view.Late, view.Hub, view.Minutes,
			view.Outbox.OldestPending, view.Redis.WriteError, states, ids,
		}, nil
	})
}
