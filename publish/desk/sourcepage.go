package desk

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
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

// fact is a line of what is known: its name and a text or a time. Link makes a link of the text.
type fact struct {
	Name, Text, Link string
	Time             moment
}

// facts collects those that are not empty.
type facts []fact

func (f *facts) text(name, text string) {
	if text != "" {
		*f = append(*f, fact{Name: name, Text: text})
	}
}

func (f *facts) link(name, url string) {
	if url != "" {
		*f = append(*f, fact{Name: name, Text: url, Link: url})
	}
}

func (f *facts) time(name string, m moment) {
	if m.Text != "" {
		*f = append(*f, fact{Name: name, Time: m})
	}
}

func (f *facts) count(name string, n int) {
	if n > 0 {
		f.text(name, fmt.Sprint(n))
	}
}

// pushFacts tell how it goes with the hub of a source; none: it names no hub.
func pushFacts(p *feed.Push, now time.Time) (all facts) {
	if p.Hub == "" {
		return nil
	}
	state := "not subscribed"
	switch p.State {
	case feed.PushPending:
		state = "asked for; the hub has not confirmed it yet"
	case feed.PushActive:
		state = "active: the hub pushes, and polls only make sure"
	case feed.PushDenied:
		state = "refused by the hub; the source is polled instead"
	case feed.PushSilent:
		state = "silent: the hub does not push everything, so the source is polled as without it"
	case feed.PushLeaving:
		state = "given up; the hub has not confirmed that yet"
	case feed.PushNone:
	}
	all.text("State", state)
	all.time("Since", ago(p.Since, now))
	all.text("Trouble", p.ErrorText)
	all.text("Hub", p.Hub)
	all.text("Topic", p.Topic)
	all.time("Lease ends", ahead(p.LeaseEnd, now))
	all.time("Last push", ago(p.LastPush, now))
	all.time("Last ping without content", ago(p.LastPing, now))
	all.count("Pushes", p.Pushes)
	all.count("Refused in a row, signature bad", p.Refused)
	all.count("Entries that polls found first", p.Missed)
	all.count("Requests in a row not confirmed", p.Errors)
	return all
}

// sourceFacts tell what is known of a source beyond how polling goes. Header fields are named without their values, and of
// a password it is told that there is one.
func sourceFacts(s *feed.Source, now time.Time) (all facts) {
	all.link("Feed", s.URL)
	all.link("Site", s.About.Link)
	for _, url := range s.Republished {
		all.link("Republished", url)
	}
	all.text("Language", s.About.Language)
	switch move := s.Poll.Move; {
	case !move.Adopted.IsZero():
		all.link("Moved for good to", move.To)
	case move.Seen > 0:
		all.link(fmt.Sprintf("Redirects (permanent, seen %s)", plural(move.Seen, "time")), move.To)
	case move.To != "":
		all.link("Redirects to another feed", move.To)
	}
	all.time("Added", ago(s.Added, now))
	all.text("Feeds", strings.Join(s.Feeds, ", "))
	if len(s.Feeds) > 0 {
		all.text("Published", map[bool]string{true: "at once", false: "by an editor"}[s.Publish == feed.PublishAuto])
	}
	all.text("Categories", strings.Join(s.Categories, ", "))
	for _, f := range s.Filters.Keep {
		all.text("Keeps only", f.String())
	}
	for _, f := range s.Filters.Block {
		all.text("Blocks", f.String())
	}
	all.text("Entries are told apart by", identityText(s.Poll.Identity))
	if s.IgnoreUpdates {
		all.text("Updates", "ignored: entries stay as they were first stored")
	}
	if s.Keep.Entries > 0 {
		all.text("Keeps", fmt.Sprintf("the newest %d entries", s.Keep.Entries))
	}
	all.text("Keeps what is not listed for", length(s.Keep.For))
	all.time("Last document", ago(s.Poll.LastDocument, now))
	all.time("Last asked in full", ago(s.Poll.LastFull, now))
	all.text("ETag", s.Poll.ETag)
	all.text("Last-Modified", s.Poll.LastModified)
	if s.Poll.Validated != s.URL {
		all.text("Both belong to", s.Poll.Validated)
	}
	q := &s.Request
	all.text("Timeout", length(q.Timeout))
	all.text("Sends header fields", strings.Join(slices.Sorted(maps.Keys(q.Headers)), ", "))
	if q.Username != "" {
		all.text("Signs in as", q.Username)
	}
	all.text("Proxy", q.ShownProxy())
	return all
}

// identityText says a policy in words.
func identityText(identity feed.Identity) string {
	switch identity {
	case feed.IdentityLink:
		return "link: several had one guid"
	case feed.IdentityText:
		return "link and title: several had one guid, and one link"
	case feed.IdentityGUID:
	}
	return "guid"
}
