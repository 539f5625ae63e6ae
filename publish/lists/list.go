package lists

import (
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	pageSize  = 25
	maxRounds = 5 // reads for one page, in which entries may be missing
)

// placeOf returns a key of a list by which groups are after the lists of every store.
func placeOf(list feed.EntryList) string {
	if list.Kind == feed.ListGroup {
		return "1" + list.Name
	}
	return "0" + list.Name
}

// list serves GET /api/v1/lists/{list}: the entries that the visitor may see.
func (ls *Lists) list(r *http.Request) (page feed.Page[feed.Ranked], err error) {
	query, user := web.QueryOf(r), web.VisitorOf(r).Account.ID
	limit, after := query.Number("limit", pageSize, 1, web.MaxLimit), query.Position()
	if query.Err != nil {
		return page, query.Err
	}
	see, err := ls.visible(r, user)
	if err != nil {
		return page, err
	}
	all := make([]feed.Ranked, 0, limit)
	for round, more := 0, true; more; round++ {
		if len(all) == limit || round == maxRounds {
			return ls.scored(r, user, all, after)
		}
		var places []feed.Cursor
		places, more, err = ls.store.ListPlaces(r.Context(), r.PathValue("list"), after, limit-len(all))
		if err != nil {
			return page, err
		}
		ids := make([]string, len(places))
		for i, p := range places {
			ids[i], after = "Entry:"+p.Member, p
		}
		found, err := ls.store.HeadlinesByID(r.Context(), ids)
		if err != nil {
			return page, err
		}
		for _, id := range ids {
			if e, ok := found[id]; ok && see(&e) {
				all = append(all, feed.Ranked{Entry: e})
			}
		}
	}
	return ls.scored(r, user, all, feed.Cursor{})
}

// scored returns a page of entries with their scores.
func (ls *Lists) scored(r *http.Request, user int64, all []feed.Ranked, next feed.Cursor) (feed.Page[feed.Ranked], error) {
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].Entry.ID
	}
	scores, err := ls.store.Scores(r.Context(), user, ids)
	for i := range all {
		all[i].Score = scores[all[i].Entry.ID]
	}
	return web.List(all, next.String()), err
}
