package search

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	maxScanned  = 1000                   // entries whose texts are read for a page
	scanTime    = 150 * time.Millisecond // after which no further texts are read for a page
	maxRelevant = 500                    // entries in the order of relevance
	maxFindTime = 5 * time.Second
	relevant    = "r" // member of cursors in that order, whose score is the number of entries before them
)

// number returns the number of an entry, under which the index has it.
func number(id string) string { return strings.TrimPrefix(id, "Entry:") }

// Find returns up to limit entries that s selects and see accepts (nil: all) after a cursor, with passages of their texts. A page may have fewer
// entries although there are more at its Next, because Find reads a bounded number of them. feed.ErrUnavailable: the index is not open, or
// the store does not answer.
func (x *Index) Find(
	ctx context.Context, s *feed.Search, see func(*feed.Entry) bool, after feed.Cursor, limit int,
) (page feed.SearchPage, err error) {
	began := time.Now()
	defer func() { x.seconds.Observe(time.Since(began).Seconds()) }()
	ctx, cancel := context.WithTimeout(ctx, maxFindTime)
	defer cancel()
	if see == nil {
		see = func(*feed.Entry) bool { return true }
	}
	err = x.guarded(func() error { return x.find(ctx, s, see, after, limit, &page) })
	return page, err
}

func (x *Index) find(
	ctx context.Context, s *feed.Search, see func(*feed.Entry) bool, after feed.Cursor, limit int, page *feed.SearchPage,
) error {
	known, incomplete := x.progress()
	page.Incomplete = incomplete
	p := x.plan(s, known)
	began := time.Now()
	for scanned := 0; scanned < maxScanned && (scanned == 0 || time.Since(began) < scanTime); {
		size := pageSize
		if !p.verifies() {
			size = limit - len(page.Hits) + 1 // one more tells whether the page is the last one
		}
		matches, err := x.matches(ctx, p, after, size)
		if err != nil {
			return err
		}
		found, err := x.load(ctx, idsOf(matches))
		if err != nil {
			return err
		}
		for _, m := range matches {
			before := after
			after = m.place
			e, exists := found["Entry:"+m.number]
			if !exists || e.Expired || !see(&e) {
				continue
			}
			t := x.textOf(&e)
			if !x.verify(p, &t) {
				continue
			}
			if len(page.Hits) == limit {
				page.Next = before
				return nil
			}
			e.Content, e.Summary = "", ""
			page.Hits = append(page.Hits, feed.SearchHit{Entry: e, Passage: x.passage(p, &t)})
		}
		if scanned += len(matches); len(matches) < size {
			return nil
		}
	}
	page.Next = after
	return nil
}

// progress returns the languages of the entries, and whether the index lacks some.
func (x *Index) progress() (languages []string, incomplete bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.state.Languages, x.state.Walking
}

// match is an entry that the index returns.
type match struct {
	number string
	place  feed.Cursor
}

func idsOf(matches []match) []string {
	ids := make([]string, len(matches))
	for i, m := range matches {
		ids[i] = "Entry:" + m.number
	}
	return ids
}

// matches returns up to size entries that match a plan, apart from phrases, after a cursor.
func (x *Index) matches(ctx context.Context, p *plan, after feed.Cursor, size int) ([]match, error) {
	r := bleve.NewSearchRequestOptions(p.query, size, 0, false)
	if p.byRelevance {
		if r.From = int(after.Score); r.From >= maxRelevant || after.Member != "" && after.Member != relevant {
			return nil, nil
		}
		r.Size = min(size, maxRelevant-r.From)
	} else {
		r.Score = "none"
		r.Sort = search.SortOrder{&search.SortField{Field: timeField, Type: search.SortFieldAsNumber, Desc: true}, &search.SortDocID{Desc: true}}
		if !after.IsZero() {
			r.SearchAfter = []string{strconv.FormatFloat(after.Score, 'f', -1, 64), after.Member}
		}
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.index == nil {
		return nil, fmt.Errorf("%w: the index of the search is not open yet", feed.ErrUnavailable)
	}
	found, err := x.index.SearchInContext(ctx, r)
	if err != nil {
		return nil, err
	}
	all := make([]match, len(found.Hits))
	for i, hit := range found.Hits {
		all[i] = match{hit.ID, feed.Cursor{Score: float64(r.From + i + 1), Member: relevant}}
		if !p.byRelevance {
			if all[i].place.Score, err = strconv.ParseFloat(hit.DecodedSort[0], 64); err != nil {
				return nil, err
			}
			all[i].place.Member = hit.ID
		}
	}
	return all, nil
}
