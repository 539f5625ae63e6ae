// Package placement describes an article in one outgoing feed on pages: its state, its impressions, what happens next and how
// the feed would show it.
package placement

import (
	"fmt"
	"slices"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// Row is an article in one outgoing feed.
type Row struct {
	Title, Source, State string
	Dots                 []bool // one for each impression until the article is imported; true: counted
	Impressions          string // "2 of 4"
	Next                 string
}

// maxDots is the most impressions that are drawn as dots.
const maxDots = 12

// RowOf returns the row of an article.
func RowOf(a *feed.Article, f *feed.Outgoing, now time.Time) Row {
	p := a.Feeds[f.Type]
	p.State = a.StateIn(f.Type)
	row := Row{Title: a.Name(), Source: a.FeedURL, State: string(p.State), Next: Next(p, f, now)}
	if p.State != feed.StatePublished && p.State != feed.StateImported {
		return row
	}
	had := min(len(p.Impressions), f.RetireAfter)
	if p.State == feed.StateImported {
		had = f.RetireAfter
	}
	row.Impressions = fmt.Sprint(had)
	if f.RetireAfter > 0 {
		row.Impressions = fmt.Sprintf("%d of %d", had, f.RetireAfter)
	}
	if f.RetireAfter > 0 && f.RetireAfter <= maxDots {
		row.Dots = slices.Concat(slices.Repeat([]bool{true}, had), slices.Repeat([]bool{false}, f.RetireAfter-had))
	}
	return row
}
