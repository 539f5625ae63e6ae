package sources

import (
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// row is a source in the list.
type row struct {
	ID, Title, URL        string
	State                 string
	Entries               int
	LastPoll              web.Moment
	NextPoll              web.Moment
	NextReason            string
	Error, Errors, Advice string
	Feeds, Publishes      string
}

func rowOf(s *feed.Source, now time.Time) row {
	r := row{
		ID: s.ID, Title: s.Name(), URL: s.URL, State: string(s.State()), Entries: s.Poll.Entries,
		LastPoll: web.Ago(s.Poll.LastPoll, now), NextPoll: web.Ahead(s.Poll.NextPoll, now), NextReason: s.Poll.NextReason,
		Feeds: strings.Join(s.Feeds, ", "), Publishes: string(s.Publish),
	}
	if s.Poll.ErrorClass != "" {
		r.Error, r.Advice = s.Poll.ErrorText, s.Poll.Advice()
		r.Errors = web.Plural(s.Poll.Errors, "failure") + " in a row"
	}
	if state := s.State(); state == feed.SourcePaused || state == feed.SourceGone {
		r.NextPoll, r.NextReason = web.Moment{}, "not polled while "+string(state)
	}
	return r
}
