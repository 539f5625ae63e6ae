package desk

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// listedSources is how many sources a page lists.
const listedSources = 50

// sourcesPage is what the template shows.
type sourcesPage struct {
	frame
	Notice   notice
	Text     string // that is looked for
	States   []stateChoice
	Rows     []sourceRow
	All      int    // sources that there are
	Shown    string // "51 to 100 of 2000"
	Before   string // page before this one; empty: there is none
	Next     string
	Mood     string
	Headline string
}

// stateChoice is a state by which the list can be narrowed.
type stateChoice struct {
	Text, Link string
	Count      int
	On         bool
}

// showSources serves "/sources".
func (d *Desk) showSources(w http.ResponseWriter, r *http.Request) error {
	all, err := d.store.ListSources(r.Context())
	if err != nil {
		return err
	}
	query, now := r.URL.Query(), d.opts.Now()
	at, err := number(r, "page", 1, 1, 1_000_000)
	if err != nil {
		return err
	}
	page := sourcesPage{Notice: noticeOf(r), Text: sought(r), All: len(all)}
	state := feed.SourceState(query.Get("state"))
	page.States = stateChoices(all, state, page.Text)
	page.Mood, page.Headline = sourcesMood(all, now)

	found := findSources(all, state, page.Text)
	from := min((at-1)*listedSources, len(found))
	to := min(from+listedSources, len(found))
	for _, s := range found[from:to] {
		page.Rows = append(page.Rows, sourceRowOf(s, now))
	}
	if len(found) > listedSources {
		page.Shown = fmt.Sprintf("%d to %d of %d", from+1, to, len(found))
	}
	if from > 0 {
		page.Before = sourcesLink(page.Text, state, at-1)
	}
	if to < len(found) {
		page.Next = sourcesLink(page.Text, state, at+1)
	}
	page.frame = d.frame(r, "Sources – feedwire", 0)
	d.render(w, r, http.StatusOK, "sources.html", page)
	return nil
}

// findSources are the sources in a state ("" for any) that mention a text, those first that need a person, then by name.
func findSources(all []feed.Source, state feed.SourceState, text string) []*feed.Source {
	type place struct {
		*feed.Source
		urgency int
		name    string
	}
	var places []place
	for i := range all {
		if s := &all[i]; (state == "" || s.State() == state) && mentions(s, text) {
			places = append(places, place{s, urgency(s), strings.ToLower(nameOf(s))})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Or(a.urgency-b.urgency, strings.Compare(a.name, b.name)) })
	found := make([]*feed.Source, len(places))
	for i := range places {
		found[i] = places[i].Source
	}
	return found
}

// maxSought bounds a text that is looked for, in bytes.
const maxSought = 200

// sought is the text that a list is to be narrowed by; empty: it is not.
func sought(r *http.Request) string {
	return strings.TrimSpace(strings.ToValidUTF8(cutTo(r.URL.Query().Get("q"), maxSought), ""))
}

// sourcesLink is the address of a piece of the list.
func sourcesLink(text string, state feed.SourceState, page int) string {
	query := url.Values{}
	for name, value := range map[string]string{"q": text, "state": string(state)} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if page > 1 {
		query.Set("page", strconv.Itoa(page))
	}
	if len(query) == 0 {
		return "/sources"
	}
	return "/sources?" + query.Encode()
}

func stateChoices(all []feed.Source, on feed.SourceState, text string) []stateChoice {
	counts := make(map[feed.SourceState]int)
	for i := range all {
		counts[all[i].State()]++
	}
	choices := []stateChoice{{Text: "all", Link: sourcesLink(text, "", 1), Count: len(all), On: on == ""}}
	for _, s := range []feed.SourceState{feed.SourceActive, feed.SourceFailing, feed.SourcePaused, feed.SourceGone} {
		if counts[s] > 0 || on == s {
			choices = append(choices, stateChoice{Text: string(s), Link: sourcesLink(text, s, 1), Count: counts[s], On: on == s})
		}
	}
	return choices
}

// mentions reports whether a source has a text in its name, address, feeds or categories, whatever its case.
func mentions(s *feed.Source, text string) bool {
	if text == "" {
		return true
	}
	text = strings.ToLower(text)
	has := func(in string) bool { return strings.Contains(strings.ToLower(in), text) }
	return has(s.URL) || has(s.About.Title) || slices.ContainsFunc(s.Feeds, has) || slices.ContainsFunc(s.Categories, has)
}

// urgency puts those first that need a person most.
func urgency(s *feed.Source) int {
	switch state := s.State(); {
	case state == feed.SourceGone:
		return 0
	case state == feed.SourceFailing && s.Poll.Errors >= alarmAfter:
		return 1
	case state == feed.SourceFailing:
		return 2
	}
	return 3
}

// lateAfter is how much later than planned a poll may be before somebody is told.
const lateAfter = 5 * time.Minute

// sourcesMood is how it goes with all sources in a line.
func sourcesMood(all []feed.Source, now time.Time) (mood, headline string) {
	trouble, failing, late := 0, 0, 0
	for i := range all {
		s := &all[i]
		switch {
		case urgency(s) < 2:
			trouble++
		case urgency(s) == 2:
			failing++
		case !s.Paused && !s.Poll.NextPoll.IsZero() && now.Sub(s.Poll.NextPoll) > lateAfter:
			late++
		}
	}
	switch {
	case len(all) == 0:
		return "wait", "There are no sources yet."
	case trouble == 1:
		return "trouble", "One source needs a person."
	case trouble > 1:
		return "trouble", fmt.Sprintf("%d sources need a person.", trouble)
	case late > 0:
		return "wait", fmt.Sprintf("%s late by more than %s.", isOrAre(late, "poll"), length(lateAfter))
	case failing > 0:
		return "well", fmt.Sprintf("Nothing needs a person. %s failing and tried again.", isOrAre(failing, "source"))
	}
	return "well", "All sources are well."
}

func isOrAre(n int, one string) string {
	if n == 1 {
		return plural(n, one) + " is"
	}
	return plural(n, one) + " are"
}
