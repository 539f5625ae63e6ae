package desk

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// How much of each list the overview shows.
const (
	shownPublished = 50
	shownOther     = 10
	shownSignals   = 20
	shownPolls     = 200 // sources with a sparkline
	recentArticles = 200 // looked through for those that wait for an editor
	refreshSeconds = 5
	// alarmAfter is how many polls in a row may fail before a person is called: what a network does for a while
	// mends itself.
	alarmAfter = 3
)

// overview serves "/": how the wire is doing, what is out, and what happens next. ?refresh=off stops the page from
// loading itself again, for readers whom that disturbs.
func (d *Desk) overview(w http.ResponseWriter, r *http.Request) {
	view, err := d.look(r.Context())
	status := http.StatusOK
	if err != nil {
		view = overviewPage{}
		status, view.Headline = d.excuse(r, err)
	}
	view.frame = d.frame(r, "feedwire", refreshSeconds)
	if !view.Well {
		view.Title = "(!) feedwire"
	}
	d.render(w, r, status, "overview.html", view)
}

// overviewPage is what the template shows.
type overviewPage struct {
	frame
	Well     bool
	Headline string
	Needs    []string  // what needs a person
	Hub      *hubBlock // nil: nobody subscribes
	Feeds    []feedBlock
	Sources  []sourceRow
	Signals  []signalRow
}

// look reads everything that the overview shows.
func (d *Desk) look(ctx context.Context) (overviewPage, error) {
	now := d.opts.Now()
	var view overviewPage
	sources, err := d.store.Sources(ctx)
	if err != nil {
		return view, fmt.Errorf("list sources: %w", err)
	}
	counts, err := d.store.Counts(ctx, d.types)
	if err != nil {
		return view, fmt.Errorf("count: %w", err)
	}
	since := now.Add(-defaultDays * 24 * time.Hour)
	recent, _, err := d.store.RecentArticles(ctx, since, d.types, feed.Cursor{}, recentArticles)
	if err != nil {
		return view, fmt.Errorf("list recent articles: %w", err)
	}
	signals, err := d.store.RecentSignals(ctx, shownSignals)
	if err != nil {
		return view, fmt.Errorf("list recent signals: %w", err)
	}

	byURL := make(map[string]*feed.Source, len(sources))
	for i := range sources {
		byURL[sources[i].URL] = &sources[i]
		view.Sources = append(view.Sources, sourceRowOf(&sources[i], now))
	}
	if err := d.drawPolls(ctx, view.Sources); err != nil {
		return view, err
	}
	view.Needs = needs(sources)
	view.Well, view.Headline = headline(sources, view.Needs, now)
	for i := range d.opts.Feeds {
		block, err := d.block(ctx, &d.opts.Feeds[i], &counts, recent, byURL, now)
		if err != nil {
			return view, err
		}
		view.Feeds = append(view.Feeds, block)
	}
	for i := range signals {
		view.Signals = append(view.Signals, signalRowOf(&signals[i], byURL, now))
	}
	view.Hub, err = d.lookAtHub(ctx, now)
	return view, err
}

// drawPolls gives the first sources their sparklines.
func (d *Desk) drawPolls(ctx context.Context, rows []sourceRow) error {
	rows = rows[:min(shownPolls, len(rows))]
	urls := make([]string, len(rows))
	for i := range rows {
		urls[i] = rows[i].URL
	}
	polls, err := d.store.Polls(ctx, urls)
	if err != nil {
		return fmt.Errorf("list the last polls: %w", err)
	}
	for i := range rows {
		rows[i].Polls = sparklineOf(polls[i])
	}
	return nil
}

// needs lists what a person has to look at.
func needs(sources []feed.Source) []string {
	var lines []string
	for i := range sources {
		s := &sources[i]
		switch {
		case s.State() == feed.SourceGone:
			lines = append(lines, nameOf(s)+" is gone: its server says so for good. Remove it, or give its new address.")
		case s.State() == feed.SourceFailing && s.Poll.Errors >= alarmAfter:
			lines = append(lines, fmt.Sprintf("%s has failed %d times in a row: %s; %s",
				nameOf(s), s.Poll.Errors, s.Poll.ErrorText, s.Poll.WayOut()))
		}
	}
	return lines
}

// headline is the state of the whole wire in one line.
func headline(sources []feed.Source, needs []string, now time.Time) (well bool, line string) {
	var last time.Time
	for i := range sources {
		if t := sources[i].Poll.LastPoll; t.After(last) {
			last = t
		}
	}
	switch {
	case len(needs) == 1:
		return false, "One source needs a person."
	case len(needs) > 1:
		return false, fmt.Sprintf("%d sources need a person.", len(needs))
	case len(sources) == 0:
		return true, "All is well, and nothing to do yet: there are no sources."
	case last.IsZero():
		return true, "All is well. " + plural(len(sources), "source") + ", the first poll is on its way."
	}
	return true, "All is well. " + plural(len(sources), "source") + ", the last poll was " + ago(last, now).Text + "."
}

// block shows one outgoing feed: what is out, what waits, and the latest of what has left it.
func (d *Desk) block(
	ctx context.Context, f *feed.Outgoing, counts *feed.Counts, recent []feed.Article, sources map[string]*feed.Source, now time.Time,
) (feedBlock, error) {
	about := d.describe(f, counts)
	block := feedBlock{Type: f.Type, Title: f.Title, URL: about.URL}
	var waiting []feed.Article
	for i := range recent {
		source := sources[recent[i].FeedURL]
		if source != nil && f.Takes(source) && stateIn(&recent[i], f.Type) == feed.StateKnown {
			waiting = append(waiting, recent[i])
		}
	}
	block.Counts = countsLine(about.Articles, len(waiting))
	for _, state := range []feed.State{
		feed.StatePublished, feed.StateKnown, feed.StateImported, feed.StateExpired, feed.StateTakenBack,
	} {
		articles, limit := waiting, shownOther
		if state == feed.StatePublished {
			limit = shownPublished
		}
		if state != feed.StateKnown {
			var err error
			articles, _, err = d.store.PlacedArticles(ctx, f.Type, state, []string{f.Type}, feed.Cursor{}, limit)
			if err != nil {
				return block, fmt.Errorf("list %s articles of %s: %w", state, f.Type, err)
			}
		}
		for i := range articles[:min(limit, len(articles))] {
			block.Articles = append(block.Articles, articleRowOf(&articles[i], f, sources, now))
		}
	}
	return block, nil
}
