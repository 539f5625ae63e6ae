package sources

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const pageSize = 50 // sources

// listPage is the data of sources.html.
type listPage struct {
	web.Frame
	Text     string // filter
	States   []stateChoice
	Causes   []causeGroup
	Cause    *causeGroup // filter; nil: none
	Rows     []*feed.Source
	All      int // sources without the filter
	Pager    web.Pager
	Mood     string
	Headline string
}

// stateChoice is a filter by state.
type stateChoice struct {
	Text, Link string
	Count      int
	On         bool
}

// showList serves "/sources".
func (ss *Sources) showList(w http.ResponseWriter, r *http.Request) error {
	all, err := ss.store.ListSources(r.Context())
	if err != nil {
		return err
	}
	query := web.QueryOf(r)
	number, state, cause := query.Number("page", 1, 1, 1_000_000), feed.SourceState(query.Get("state")), feed.Cause(query.Get("cause"))
	if query.Err != nil {
		return query.Err
	}
	page := listPage{Frame: web.Frame{Title: "Sources"}, Text: query.Search(), All: len(all)}
	page.States = stateChoices(all, state, page.Text)
	page.Mood, page.Headline = listStatus(all, ss.web.Now())
	page.Causes = causeGroups(all, cause)
	if i := slices.IndexFunc(page.Causes, func(g causeGroup) bool { return g.On }); i >= 0 {
		page.Cause = &page.Causes[i]
	}

	found := find(all, state, cause, page.Text)
	from := min((number-1)*pageSize, len(found))
	to := min(from+pageSize, len(found))
	page.Rows = found[from:to]
	if len(found) > pageSize {
		page.Pager.Text = fmt.Sprintf("%d to %d of %d", from+1, to, len(found))
	}
	if from > 0 {
		page.Pager.Previous = listLink(page.Text, state, cause, number-1)
	}
	if to < len(found) {
		page.Pager.Next = listLink(page.Text, state, cause, number+1)
	}
	return ss.web.Render(w, r, "sources.html", &page)
}

// find returns the sources that match a text, a state and a cause ("": any), most urgent first, then by name.
func find(all []feed.Source, state feed.SourceState, cause feed.Cause, text string) []*feed.Source {
	var found []*feed.Source
	names := make(map[*feed.Source]string)
	for i := range all {
		if s := &all[i]; (state == "" || s.State() == state) && (cause == "" || s.Cause() == cause) && contains(s, text) {
			found, names[s] = append(found, s), strings.ToLower(s.Name())
		}
	}
	slices.SortStableFunc(found, func(a, b *feed.Source) int { return cmp.Or(urgency(a)-urgency(b), strings.Compare(names[a], names[b])) })
	return found
}

// listLink returns the link to a page of the list.
func listLink(text string, state feed.SourceState, cause feed.Cause, page int) string {
	query := url.Values{"q": {text}, "state": {string(state)}, "cause": {string(cause)}}
	if page > 1 {
		query.Set("page", strconv.Itoa(page))
	}
	return web.WithQuery("/sources", query)
}

func stateChoices(all []feed.Source, on feed.SourceState, text string) []stateChoice {
	counts := make(map[feed.SourceState]int)
	for i := range all {
		counts[all[i].State()]++
	}
	choices := []stateChoice{{Text: "all", Link: listLink(text, "", "", 1), Count: len(all), On: on == ""}}
	for _, s := range []feed.SourceState{feed.SourceActive, feed.SourceFailing, feed.SourcePaused, feed.SourceGone} {
		if counts[s] > 0 || on == s {
			choices = append(choices, stateChoice{Text: string(s), Link: listLink(text, s, "", 1), Count: counts[s], On: on == s})
		}
	}
	return choices
}

// contains reports whether the title, URL, feeds or categories of a source contain a text, ignoring case.
func contains(s *feed.Source, text string) bool {
	text = strings.ToLower(text)
	has := func(field string) bool { return strings.Contains(strings.ToLower(field), text) }
	return has(s.URL) || has(s.Address()) || has(s.Label) || has(s.About.Title) || slices.ContainsFunc(s.Feeds, has) || slices.ContainsFunc(s.Categories, has)
}

// Urgencies, in the order of the list.
const (
	urgentGone = iota
	urgentFailing
	retried
	normal
)

func urgency(s *feed.Source) int {
	switch state := s.State(); {
	case state == feed.SourceGone:
		return urgentGone
	case state == feed.SourceFailing && s.Poll.Errors >= feed.AlarmAfter:
		return urgentFailing
	case state == feed.SourceFailing:
		return retried
	}
	return normal
}

// listStatus returns the state of all sources in words.
func listStatus(all []feed.Source, now time.Time) (mood, headline string) {
	late, counts := 0, make(map[int]int) // by urgency
	for i := range all {
		s := &all[i]
		counts[urgency(s)]++
		if urgency(s) == normal && !s.Paused && !s.Poll.NextPoll.IsZero() && now.Sub(s.Poll.NextPoll) > feed.LateAfter {
			late++
		}
	}
	switch urgent, failing := counts[urgentGone]+counts[urgentFailing], counts[retried]; {
	case len(all) == 0:
		return "wait", "There are no sources yet."
	case urgent > 0:
		return "trouble", web.Plural(urgent, "source") + web.Pick(urgent, " needs", " need") + " attention."
	case late > 0:
		return "wait", fmt.Sprintf("%s late by more than %s.", web.PluralIs(late, "poll"), web.Length(feed.LateAfter))
	case failing > 0:
		return "well", fmt.Sprintf("No source needs attention. %s failing and retried.", web.PluralIs(failing, "source"))
	}
	return "well", "All sources are OK."
}
