package desk

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// articleRow is an article in one outgoing feed.
type articleRow struct {
	Title, Link, Source string
	State, StateText    string
	Dots                []bool // one for each impression that retires the article; true: had
	Impressions         string // "2 of 4"
	Next                string
}

// sourceRow is one source.
type sourceRow struct {
	ID, Title, URL   string
	State            string
	Entries          int
	LastPoll         moment
	NextPoll         moment
	NextReason       string
	Trouble, Errors  string
	WayOut           string // of the trouble
	Feeds, Publishes string
}

// signalRow is one signal.
type signalRow struct {
	ID, Kind, Text, Link, Changed string
	Source                        string // address, where the text does not tell it
	Time                          moment
}

func countsLine(byState map[feed.State]int) string {
	parts := []string{fmt.Sprintf("%d published", byState[feed.StatePublished])}
	for _, part := range []struct {
		n    int
		text string
	}{
		{byState[feed.StateImported], "imported"},
		{byState[feed.StateExpired], "expired"},
		{byState[feed.StateTakenBack], "taken back"},
	} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.text))
		}
	}
	return strings.Join(parts, " · ")
}

func articleRowOf(a *feed.Article, f *feed.Outgoing, now time.Time) articleRow {
	placed := a.Feeds[f.Type]
	placed.State = stateIn(a, f.Type)
	row := articleRow{
		Title: a.Title, Link: a.Canonical, Source: a.FeedURL, State: string(placed.State),
		StateText: strings.ReplaceAll(string(placed.State), "_", " "), Next: whatNext(placed, f, now),
	}
	if row.Title == "" {
		row.Title = "(without title)"
	}
	if placed.State == feed.StateKnown {
		row.StateText = "waiting"
	}
	had := min(len(placed.Impressions), f.RetireAfter)
	if placed.State == feed.StateImported {
		had = f.RetireAfter
	}
	if f.RetireAfter > 0 && f.RetireAfter <= 12 && (placed.State == feed.StatePublished || placed.State == feed.StateImported) {
		row.Dots = slices.Concat(slices.Repeat([]bool{true}, had), slices.Repeat([]bool{false}, f.RetireAfter-had))
	}
	if placed.State == feed.StatePublished || placed.State == feed.StateImported {
		row.Impressions = fmt.Sprint(had)
		if f.RetireAfter > 0 {
			row.Impressions = fmt.Sprintf("%d of %d", had, f.RetireAfter)
		}
	}
	return row
}

func sourceRowOf(s *feed.Source, now time.Time) sourceRow {
	row := sourceRow{
		ID: s.ID, Title: nameOf(s), URL: s.URL, State: string(s.State()), Entries: s.Poll.Entries,
		LastPoll: ago(s.Poll.LastPoll, now), NextPoll: ahead(s.Poll.NextPoll, now), NextReason: s.Poll.NextReason,
		Feeds: strings.Join(s.Feeds, ", "), Publishes: string(s.Publish),
	}
	if s.Poll.ErrorClass != "" {
		row.Trouble, row.WayOut = s.Poll.ErrorText, s.Poll.WayOut()
		row.Errors = plural(s.Poll.Errors, "failure") + " in a row"
	}
	if state := s.State(); state == feed.SourcePaused || state == feed.SourceGone {
		row.NextPoll, row.NextReason = moment{}, "not polled while "+string(state)
	}
	return row
}

func signalRowOf(s *feed.Signal, now time.Time) signalRow {
	row := signalRow{
		ID: s.ID, Kind: strings.ReplaceAll(string(s.Kind), "_", " "), Text: s.FeedURL,
		Time: ago(s.Time, now),
	}
	if s.Post != nil {
		row.Text, row.Link = s.Post.Title, s.Post.Link
	}
	row.Changed = strings.Join(slices.Sorted(maps.Keys(s.Changed)), ", ")
	return row
}

// nameOf is the title of a source, or its address before it has one.
func nameOf(s *feed.Source) string {
	if s.About.Title != "" {
		return s.About.Title
	}
	return s.URL
}
