package lists

import (
	"cmp"
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

const (
	pageSize  = 25
	maxRounds = 5 // reads for one page, in which entries may be missing
)

// placeOf returns a key of a list by which the lists of editors are after the lists of every store, and groups are last.
func placeOf(list feed.EntryList) string {
	switch list.Kind {
	case feed.ListGroup:
		return "2" + list.Name
	case feed.ListArranged, feed.ListSearch:
		return "1" + list.Name
	}
	return "0" + list.Name
}

// get serves GET /api/v1/lists/{list}. If-Match of a later request compares the version of a list that editors arrange.
func (ls *Lists) get(w http.ResponseWriter, r *http.Request) error {
	about, err := ls.store.List(r.Context(), r.PathValue("list"))
	if err != nil {
		return err
	}
	page, err := ls.list(r)
	if err != nil {
		return err
	}
	if about.Version != "" {
		web.SetState(w, about.Version)
	}
	web.JSON(w, http.StatusOK, page)
	return nil
}

// list returns a page of a list: the entries that the visitor may see.
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
		var found []feed.Entry
		found, after, more, err = ls.store.ListedEntries(r.Context(), r.PathValue("list"), after, limit-len(all))
		if err != nil {
			return page, err
		}
		for _, e := range found {
			if see(&e) {
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
		all[i].Vote = cmp.Or(all[i].Vote, feed.VoteNone) // a saved search finds entries that are in no other list
	}
	return web.List(all, next.String()), err
}
