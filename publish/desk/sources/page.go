package sources

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	shownEntries      = 20
	refreshSeconds    = 15
	newRefreshSeconds = 2 // until the first poll
)

// sourcePage is the data of source.html.
type sourcePage struct {
	web.Frame
	Source      *feed.Source // nil: it could not be read
	Mood        string       // well, wait or trouble
	Headline    string
	Lines       []string // below the headline
	Polls       *sparkline
	Next        web.Moment
	Push, About []web.Fact
	Entries     []feed.Entry
}

// showSource serves "/sources/{id}".
func (ss *Sources) showSource(w http.ResponseWriter, r *http.Request) error {
	view, err := ss.sourcePage(r)
	if errors.Is(err, feed.ErrNotFound) {
		return err
	}
	if err != nil {
		view = sourcePage{Frame: web.Frame{Refresh: refreshSeconds}, Mood: "trouble"}
		view.Status, view.Headline = ss.web.Excuse(r, err)
	}
	return ss.web.Render(w, r, "source.html", &view)
}

func (ss *Sources) sourcePage(r *http.Request) (view sourcePage, err error) {
	id, err := idOf(r)
	if err != nil {
		return view, err
	}
	s, entries, err := ss.store.SourceWithEntries(r.Context(), id, shownEntries)
	if err != nil {
		return view, fmt.Errorf("read a source: %w", err)
	}
	ss.complete(&s)
	now, state := ss.web.Now(), s.State()
	view = sourcePage{
		Frame: web.Frame{Title: s.Name(), Refresh: refreshSeconds}, Source: &s, Polls: sparklineOf(s.Polls), Entries: entries,
		Push: pushFacts(&s.Push, now), About: sourceFacts(&s, now),
	}
	view.Mood, view.Headline, view.Lines = sourceStatus(&s, now)
	if why := s.Request.Cleared; why != "" {
		view.Lines = append(view.Lines, "Password and secret header fields were removed: "+why+". Enter them again in the settings.")
	}
	for _, f := range s.Poll.Findings {
		view.Lines = append(view.Lines, "Limit: "+f.Text+".")
	}
	if state != feed.SourcePaused && state != feed.SourceGone {
		view.Next = web.Exactly(s.Poll.NextPoll, now)
	}
	if state == feed.SourceActive && len(s.Polls) == 0 && !s.Local() {
		view.Refresh = newRefreshSeconds
	}
	return view, nil
}

// sourceStatus returns the state of a source in words.
func sourceStatus(s *feed.Source, now time.Time) (mood, headline string, lines []string) {
	p := &s.Poll
	if s.OfMember() {
		return "well", "Local source: a member writes its posts.", nil
	}
	if s.Local() {
		return "well", "Local source: people and programs write its entries.", nil
	}
	switch s.State() {
	case feed.SourcePaused:
		return "wait", "Paused: not polled until a person resumes it.", []string{"Resume it with: feedwire source resume " + s.ID}
	case feed.SourceGone:
		return "trouble", "Gone: the server removed the feed permanently, so it is no longer polled.", reasonAndAdvice(p)
	case feed.SourceFailing:
		headline = "The last poll failed for a reason outside this source."
		if p.Errors > 0 {
			headline = fmt.Sprintf("Failing: %s in a row since %s.", web.Plural(p.Errors, "poll"), web.Clock(p.FailingSince, now))
		}
		lines = reasonAndAdvice(p)
		if !p.LastOK.IsZero() {
			lines = append(lines, "The last success was at "+web.Clock(p.LastOK, now)+".")
		}
		return "trouble", headline, lines
	}
	if p.LastPoll.IsZero() {
		return "well", "New: the first poll starts within seconds.", nil
	}
	return "well", fmt.Sprintf("OK: polled %s, next %s.", web.Ago(p.LastPoll, now).Text, web.Exactly(p.NextPoll, now).Text), nil
}

func reasonAndAdvice(p *feed.PollState) []string {
	return []string{"Reason: " + p.ErrorText, "What to do: " + p.Advice()}
}

// Result returns the result of a poll in words.
func (sourcePage) Result(p feed.Poll) string {
	result := "changes"
	switch {
	case p.Class != "":
		result = p.Class
	case p.Status == http.StatusNotModified:
		result = "not modified"
	case p.New+p.Modified == 0:
		result = "no changes"
	}
	if p.Status != 0 {
		result += fmt.Sprintf(" (%d)", p.Status)
	}
	return result
}

// Every returns the interval after a rule for people.
func (sourcePage) Every(rule feed.PaceRule) string { return web.Length(time.Duration(rule.Every)) }

// Rule returns the name of a rule for people.
func (sourcePage) Rule(rule feed.PaceRule) string {
	return map[string]string{
		feed.RuleFixed: "Fixed interval", feed.RuleRate: "Posting rate", feed.RuleFloor: "Shortest interval", feed.RuleCeiling: "Longest interval",
		feed.RuleFeed: "Requested by the feed", feed.RulePush: "Push", feed.RuleSkipped: "Skipped times", feed.RuleFailures: "Failures",
	}[rule.Name]
}
