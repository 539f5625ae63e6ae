package sources

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// oneOf does something to one of several sources.
type oneOf func(r *http.Request, s *feed.Source) error

// each returns an action as a oneOf.
func each(do action) oneOf {
	return func(r *http.Request, s *feed.Source) error { return do(r.Context(), s.ID, 0) }
}

// many does something to each source, named by id or URL, and records it.
func (ss *Sources) many(r *http.Request, a *web.Action, status int, names []string, do oneOf) (web.Bulk, error) {
	return ss.web.Bulk(r, a, "sources", names, func(r *http.Request, name string) (web.BulkItem, error) {
		item := web.BulkItem{Status: status}
		id, err := feed.ParseSourceID(name)
		if err != nil {
			return item, err
		}
		source, err := ss.store.Source(r.Context(), id)
		if err != nil {
			return item, err
		}
		web.Changed(r, feed.SourceObject(&source), "", "")
		return item, do(r, &source)
	})
}

// forMany serves the API: it does something to each source of the body.
func (ss *Sources) forMany(a *web.Action, status int, do oneOf) web.Handler {
	return web.Reply(http.StatusMultiStatus, func(r *http.Request) (web.Bulk, error) {
		var body struct {
			Sources []string `json:"sources"` // ids or URLs
		}
		if err := web.Decode(r, &body); err != nil {
			return web.Bulk{}, err
		}
		return ss.many(r, a, status, body.Sources, do)
	})
}

func (ss *Sources) actOnMany(a *web.Action, status int, do action) web.Handler {
	return ss.forMany(a, status, each(do))
}

// manyByForm serves a form about the sources that its field names. undo is the last part of the path of the form that undoes it.
func (ss *Sources) manyByForm(a *web.Action, did, undo string, do oneOf) web.Handler {
	return ss.manyForm(did, undo, func(r *http.Request, ids []string) (web.Bulk, error) { return ss.many(r, a, http.StatusOK, ids, do) })
}

// restoreManyByForm serves the form that restores removed sources.
func (ss *Sources) restoreManyByForm(a *web.Action) web.Handler {
	return ss.manyForm("allthere", "", func(r *http.Request, ids []string) (web.Bulk, error) {
		return ss.web.Bulk(r, a, "sources", ids, func(r *http.Request, id string) (web.BulkItem, error) {
			source, err := ss.store.RestoreSource(r.Context(), id)
			web.Changed(r, feed.SourceObject(&source), "", settings(&source))
			return web.BulkItem{Status: http.StatusCreated}, err
		})
	})
}

func (ss *Sources) manyForm(did, undo string, do func(*http.Request, []string) (web.Bulk, error)) web.Handler {
	return web.Form(func(r *http.Request) (next web.Next, err error) {
		all, err := do(r, strings.Fields(r.PostFormValue("sources")))
		if err != nil {
			return next, err
		}
		var done []string
		for _, item := range all.Items {
			if item.Problem == nil {
				done = append(done, item.ID)
			} else if all.Done == 0 {
				return next, fmt.Errorf("nothing was changed: %s: %w", item.Problem.Detail, feed.ErrConflict)
			}
		}
		next = web.Next{Page: "/sources", Did: did, N: len(done)}
		if undo != "" {
			next.To, next.Undo = undo, url.Values{"sources": {strings.Join(done, " ")}}
		}
		return next, nil
	})
}

// adopt makes a source be polled at the target of its permanent redirect.
func (ss *Sources) adopt(r *http.Request, s *feed.Source) error {
	if s.Poll.Move.To == "" || s.Poll.Move.Chosen {
		return fmt.Errorf("%s does not redirect permanently: %w; set its address instead", s.URL, feed.ErrConflict)
	}
	return ss.pollAt(r, s, s.Poll.Move.To)
}

// resetAddress makes a source be polled at its URL.
func (ss *Sources) resetAddress(r *http.Request, s *feed.Source) error { return ss.pollAt(r, s, s.URL) }

func (ss *Sources) pollAt(r *http.Request, s *feed.Source, address string) error {
	after, err := ss.store.EditSource(r.Context(), s.ID, feed.SourceEdit{Address: &address}, s.Revision)
	if err == nil {
		web.Changed(r, feed.SourceObject(s), settings(s), settings(&after))
	}
	return err
}

func (ss *Sources) removeOne(r *http.Request, s *feed.Source) error {
	web.Changed(r, feed.SourceObject(s), settings(s), "")
	return ss.removeSource(r.Context(), s, 0)
}

func (ss *Sources) removeMany(a *web.Action) web.Handler {
	return ss.forMany(a, http.StatusNoContent, ss.removeOne)
}
