package desk

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	shownEntries            = 20
	sourceRefreshSeconds    = 15
	newSourceRefreshSeconds = 2 // until its first poll
)

// source serves "/sources/{id}": how it goes with one source, and why.
func (d *Desk) source(w http.ResponseWriter, r *http.Request) {
	view, err := d.lookAt(r)
	status := http.StatusOK
	if errors.Is(err, feed.ErrNotFound) {
		d.sorry(w, r, http.StatusNotFound, "")
		return
	}
	if err != nil {
		view = sourcePage{Mood: "trouble"}
		status, view.Headline = d.excuse(r, err)
	}
	title := "feedwire"
	if view.Name != "" {
		title = view.Name + " – feedwire"
	}
	refresh := sourceRefreshSeconds
	if view.State == string(feed.SourceActive) && len(view.History) == 0 { // whoever added it just now is waiting
		refresh = newSourceRefreshSeconds
	}
	view.frame, view.Notice = d.frame(r, title, refresh), noticeOf(r)
	d.render(w, r, status, "source.html", view)
}

// sourcePage is what the template shows.
type sourcePage struct {
	frame
	Notice        notice
	ID, Name, URL string // empty: there is no source to show
	State         string
	Mood          string // well, wait or trouble
	Headline      string
	Lines         []string // what follows the headline
	Polls         *sparkline
	History       []pollRow
	Pace          []paceRow
	Next          moment
	NextReason    string
	Push, About   []fact
	Entries       []entryRow
	Listed        int // entries in the last document
}

// pollRow is one poll of the history.
type pollRow struct {
	Time          moment
	Result, Took  string
	New, Modified int
	Failed        bool
}

// paceRow is one of the things that decide how often the source is polled.
type paceRow struct{ Name, Text, Every string }

// entryRow is one entry of the source.
type entryRow struct {
	Title, Link string
	Time        moment
}

// lookAt reads what the page of a source shows.
func (d *Desk) lookAt(r *http.Request) (view sourcePage, err error) {
	id, err := sourceID(r)
	if err != nil {
		return view, err
	}
	s, entries, err := d.store.SourceWithEntries(r.Context(), id, shownEntries)
	if err != nil {
		return view, fmt.Errorf("read a source: %w", err)
	}
	now := d.opts.Now()
	view = sourcePage{
		ID: s.ID, Name: nameOf(&s), URL: s.URL, State: string(s.State()), Polls: sparklineOf(s.Polls), Listed: s.Poll.Entries,
		Push: pushFacts(&s.Push, now),
	}
	view.Mood, view.Headline, view.Lines = sourceStatus(&s, now)
	if state := s.State(); state != feed.SourcePaused && state != feed.SourceGone {
		view.Next, view.NextReason = exactly(s.Poll.NextPoll, now), s.Poll.NextReason
	}
	for i := range s.Polls {
		view.History = append(view.History, pollRowOf(&s.Polls[i], now))
	}
	for _, rule := range d.opts.Pace(&s) {
		view.Pace = append(view.Pace, paceRow{paceName(rule.Name), rule.Text, length(rule.Every)})
	}
	s.Republished = d.opts.Republished(s.ID)
	view.About = sourceFacts(&s, now)
	for i := range entries {
		view.Entries = append(view.Entries, entryRowOf(&entries[i], now))
	}
	return view, nil
}

func entryRowOf(e *feed.Entry, now time.Time) entryRow {
	row := entryRow{e.Title, e.Link, ago(e.Timestamp, now)}
	if row.Title == "" {
		row.Title = "(without title)"
	}
	return row
}

// sourceStatus is the state of a source in a line, and what belongs to it in more.
func sourceStatus(s *feed.Source, now time.Time) (mood, headline string, lines []string) {
	p := &s.Poll
	switch s.State() {
	case feed.SourcePaused:
		return "wait", "Paused: it is not polled until a person resumes it.", []string{"Resume it with: feedwire source resume " + s.ID}
	case feed.SourceGone:
		return "trouble", "Gone: its server has said so twice, and it is not polled any more.", whyAndWayOut(p)
	case feed.SourceFailing:
		headline = "The last poll failed, and this source is not to blame."
		if p.Errors > 0 {
			headline = fmt.Sprintf("Failing: %s in a row since %s.", plural(p.Errors, "poll"), clock(p.FailingSince, now))
		}
		lines = whyAndWayOut(p)
		if !p.LastOK.IsZero() {
			lines = append(lines, "It last succeeded at "+clock(p.LastOK, now)+".")
		}
		return "trouble", headline, lines
	}
	if p.LastPoll.IsZero() {
		return "well", "New: its first poll is on its way.", nil
	}
	return "well", fmt.Sprintf("All is well: polled %s, next %s.", ago(p.LastPoll, now).Text, exactly(p.NextPoll, now).Text), nil
}

func whyAndWayOut(p *feed.PollState) []string {
	return []string{"Why: " + p.ErrorText, "What to do: " + p.WayOut()}
}

func pollRowOf(p *feed.Poll, now time.Time) pollRow {
	row := pollRow{
		Time: ago(p.Time, now), Took: fmt.Sprintf("%d ms", p.Took.Milliseconds()), New: p.New, Modified: p.Modified, Failed: p.Class != "",
	}
	switch {
	case p.Class != "":
		row.Result = p.Class
	case p.Status == http.StatusNotModified:
		row.Result = "not modified"
	case p.New+p.Modified == 0:
		row.Result = "nothing new"
	default:
		row.Result = "news"
	}
	if p.Status != 0 {
		row.Result += fmt.Sprintf(" (%d)", p.Status)
	}
	return row
}

// paceName says the name of a rule in words.
func paceName(rule string) string {
	switch rule {
	case feed.RuleFixed:
		return "Fixed interval"
	case feed.RuleRate:
		return "How often it posts"
	case feed.RuleFloor:
		return "Shortest interval"
	case feed.RuleCeiling:
		return "Longest interval"
	case feed.RuleFeed:
		return "What the feed asks for"
	case feed.RulePush:
		return "Push"
	case feed.RuleSkipped:
		return "Not polled at"
	case feed.RuleFailures:
		return "Failures"
	}
	return rule
}
