package articles

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// History is the response of GET /api/v1/articles/{uuid}/history.
type History struct {
	Versions []feed.Version `json:"versions"` // newest first; the first one is current
	Actions  []Action       `json:"actions"`  // of people, newest first
}

// Action is what a person did with an article in an outgoing feed.
type Action struct {
	Time   time.Time `json:"time"`
	Who    string    `json:"who"`
	Action string    `json:"action"`
	Feed   string    `json:"feed,omitempty"`   // empty: in the inbox
	Before string    `json:"before,omitempty"` // state
	After  string    `json:"after,omitempty"`
}

// history serves GET /api/v1/articles/{uuid}/history.
func (as *Articles) history(r *http.Request) (History, error) {
	view, err := as.view(r, nil, 0)
	history := History{Versions: append([]feed.Version{}, view.Versions...), Actions: []Action{}}
	for i := range view.AuditEntries {
		e := &view.AuditEntries[i]
		history.Actions = append(history.Actions, Action{e.Time.UTC(), e.Who, e.Action, e.Object.Feed, e.Before, e.After})
	}
	return history, err
}

// eventRow is an event in the history of an article.
type eventRow struct {
	Time          time.Time
	Who, What     string
	Before, After string
}

// visitSlack is the most time between an impression and the visit that caused it.
const visitSlack = 5 * time.Second

// in returns where something happened; empty for no feed.
func in(typ string) string {
	if typ == "" {
		return ""
	}
	return " in " + typ
}

// clientAt returns the client that caused an impression. Impressions do not name it; the visits at that time do.
func clientAt(visits []feed.Visit, at time.Time) string {
	for _, v := range visits {
		if v.Counted && at.Sub(v.Time).Abs() <= visitSlack {
			return v.Client
		}
	}
	return ""
}

// articleEvents returns the actions of people, clients, feedwire and the source on an article, newest first.
func articleEvents(view *feed.ArticleView, types []string) (all []eventRow) {
	add := func(at time.Time, who, what, before, after string) {
		if !at.IsZero() {
			all = append(all, eventRow{Time: at, Who: who, What: what, Before: before, After: after})
		}
	}
	byPeople := make(map[string]bool) // "production 1795206000": a person acted in this feed around this second
	second := func(typ string, t time.Time, shift int64) string { return fmt.Sprint(typ, " ", t.Unix()+shift) }
	for i := range view.AuditEntries {
		e := &view.AuditEntries[i]
		add(e.Time, e.Who, verb(e)+" it"+in(e.Object.Feed), e.Before, e.After)
		for _, shift := range []int64{-1, 0, 1} {
			byPeople[second(e.Object.Feed, e.Time, shift)] = true
		}
	}
	for _, typ := range types {
		p := view.Article.Feeds[typ]
		if !byPeople[second(typ, p.Published, 0)] {
			add(p.Published, "feedwire", "published it in "+typ+" automatically", "", "published")
		}
		for i, at := range p.Impressions {
			add(at, cmp.Or(clientAt(view.Visits[typ], at), "a consumer"), fmt.Sprintf("fetched it from %s, impression %d", typ, len(p.Impressions)-i), "", "")
		}
		add(p.Imported, "a consumer", "fetched it from "+typ+" for the last time", "published", "imported")
		add(p.Expired, "feedwire", "let it expire in "+typ, "published", "expired")
	}
	source := view.Article.FeedURL
	if view.Source.ID != "" {
		source = view.Source.Name()
	}
	for i := range view.Versions {
		what := "its source changed it"
		if i == len(view.Versions)-1 && len(view.Versions) < feed.MaxVersions {
			what = "it arrived"
		}
		add(view.Versions[i].Time, source, what, "", "")
	}
	slices.SortStableFunc(all, func(a, b eventRow) int { return b.Time.Compare(a.Time) })
	return all
}

// versionRow is a version with its changes.
type versionRow struct {
	feed.Version
	Now     bool
	First   bool // the oldest stored version
	Changes []diffPart
	Same    bool // title and content are as before
}

func versionRows(versions []feed.Version) (rows []versionRow) {
	for i, v := range versions {
		row := versionRow{Version: v, Now: i == 0, First: i == len(versions)-1}
		if !row.First {
			before := &versions[i+1]
			row.Cut = v.Cut || before.Cut
			row.Changes = diff(before.Title+"\n"+before.Content, v.Title+"\n"+v.Content)
			row.Same = before.Title == v.Title && before.Content == v.Content
		}
		rows = append(rows, row)
	}
	return rows
}
