package desk

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/feedwire/feedwire/store/feed"
)

// Bulk is the answer to a request about many things, status 207: what became of each.
type Bulk struct {
	Items  []BulkItem `json:"items"` // in the order of the request
	Done   int        `json:"done"`
	Failed int        `json:"failed"`
}

// BulkItem is what became of one of them.
type BulkItem struct {
	ID         string           `json:"id"`                   // as the request named it
	Status     int              `json:"status"`               // that a request for this one alone would have had
	Transition *feed.Transition `json:"transition,omitempty"` // of an article
	Problem    *feed.Problem    `json:"problem,omitempty"`    // why nothing was done
}

// maxBulk is the most things of one request.
const maxBulk = 200

// bulk does something with each of many things, as one request for each would: each is counted, and written to the audit
// log. Once the store is away, the others are not tried.
func (d *Desk) bulk(
	w http.ResponseWriter, r *http.Request, a action, field string, ids []string,
	do func(r *http.Request, id string) (status int, moved *feed.Transition, err error),
) error {
	if len(ids) == 0 || len(ids) > maxBulk {
		return wrong(field, fmt.Sprintf("name 1 to %d", maxBulk))
	}
	all := Bulk{Items: make([]BulkItem, len(ids))}
	var away error
	for i, id := range ids {
		item := BulkItem{ID: id}
		err := away
		if err == nil {
			err = d.do(a, func(_ http.ResponseWriter, r *http.Request) (err error) {
				item.Status, item.Transition, err = do(r, id)
				return err
			}, w, r)
		}
		if errors.Is(err, feed.ErrUnavailable) {
			away = err
		}
		if err != nil {
			p := d.problem(r, err)
			item.Status, item.Problem = p.Status, &p
			all.Failed++
		} else {
			all.Done++
		}
		all.Items[i] = item
	}
	answer(w, http.StatusMultiStatus, all)
	return nil
}

// bulkArticles is what POST /articles/publish and /articles/unpublish take.
type bulkArticles struct {
	Feed     string   `json:"feed"`
	Articles []string `json:"articles"` // UUIDs
}

// moveMany publishes articles in one feed, or takes them back.
func (d *Desk) moveMany(a action) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		var body bulkArticles
		if err := decode(w, r, &body); err != nil {
			return err
		}
		if err := d.checkFeed(body.Feed); err != nil {
			return err
		}
		return d.bulk(w, r, a, "articles", body.Articles, func(r *http.Request, id string) (int, *feed.Transition, error) {
			uuid, err := checkUUID(id)
			if err != nil {
				return 0, nil, err
			}
			moved, err := d.move(r, a, uuid, body.Feed)
			if err != nil {
				return 0, nil, err
			}
			return http.StatusOK, &moved, nil
		})
	}
}

// bulkSources is what POST /sources/pause, /sources/resume, /sources/remove and /sources/poll take.
type bulkSources struct {
	Sources []string `json:"sources"` // ids or URLs
}

// changeMany does the same with many sources.
func (d *Desk) changeMany(a action, status int, do func(ctx context.Context, id string, edition int) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		var body bulkSources
		if err := decode(w, r, &body); err != nil {
			return err
		}
		return d.bulk(w, r, a, "sources", body.Sources, func(r *http.Request, name string) (int, *feed.Transition, error) {
			id, err := checkSource(name)
			if err != nil {
				return 0, nil, err
			}
			source, err := d.store.Source(r.Context(), id)
			if err != nil {
				return 0, nil, err
			}
			if a == sourceRemove {
				about(r, source.URL, settings(&source), "")
			} else {
				about(r, source.URL, "", "")
			}
			return status, nil, do(r.Context(), id, 0)
		})
	}
}

// bulkRoutes adds the routes that do the same with many things. The request as a whole is no action: each thing of it is.
func (d *Desk) bulkRoutes(mux *http.ServeMux) {
	many := func(a action, h handler) http.Handler { return d.serve(d.once(a, h)) }
	mux.Handle("POST /api/v1/articles/publish", many(articlePublish, d.moveMany(articlePublish)))
	mux.Handle("POST /api/v1/articles/unpublish", many(articleUnpublish, d.moveMany(articleUnpublish)))
	mux.Handle("POST /api/v1/sources/poll", many(sourcePoll, d.pollMany))
	mux.Handle("POST /api/v1/sources/pause", many(sourcePause, d.changeMany(sourcePause, http.StatusOK, d.pause)))
	mux.Handle("POST /api/v1/sources/resume", many(sourceResume, d.changeMany(sourceResume, http.StatusOK, d.resume)))
	mux.Handle("POST /api/v1/sources/remove", many(sourceRemove, d.changeMany(sourceRemove, http.StatusNoContent, d.store.RemoveSource)))
}

// pollMany makes the sources due that the body names, or all where there is no body.
func (d *Desk) pollMany(w http.ResponseWriter, r *http.Request) error {
	if r.ContentLength == 0 {
		return d.do(sourcePoll, d.pollSources, w, r)
	}
	return d.changeMany(sourcePoll, http.StatusAccepted, d.store.PollSource)(w, r)
}
