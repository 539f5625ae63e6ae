package entries

import (
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// takeDown serves DELETE /api/v1/entries/{n}, if the condition of the request holds.
func (es *Entries) takeDown(r *http.Request) error {
	e, err := es.entryOf(r)
	if err != nil {
		return err
	}
	if err := web.CheckCondition(r, stateOf(&e)); err != nil {
		return err
	}
	return es.Remove(r, &e)
}

// takeDownMany serves POST /api/v1/entries/remove.
func (es *Entries) takeDownMany(a *web.Action) func(*http.Request) (web.Bulk, error) {
	return func(r *http.Request) (web.Bulk, error) {
		var body struct {
			Entries []string `json:"entries"` // numbers
		}
		if err := web.Decode(r, &body); err != nil {
			return web.Bulk{}, err
		}
		return es.web.Bulk(r, a, "entries", body.Entries, func(r *http.Request, number string) (web.BulkItem, error) {
			item := web.BulkItem{Status: http.StatusNoContent}
			e, err := es.entry(r.Context(), number)
			if err == nil {
				err = es.Remove(r, &e)
			}
			return item, err
		})
	}
}

// Remove takes an entry down. Its article is removed at once; if that fails, the intake does it, which reads the signal.
func (es *Entries) Remove(r *http.Request, e *feed.Entry) error {
	err := es.opts.Takedown(func() error {
		taken, err := es.store.TakeDownEntry(r.Context(), e.ID)
		if err != nil {
			return err
		}
		*e = taken
		if err := es.store.RemoveArticle(r.Context(), feed.ArticleUUID(e.FeedURL, e.GUID)); err != nil {
			es.web.Logger.Warn("article of a takedown not removed yet; the intake removes it", "entry", e.ID, "err", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if es.opts.Removed != nil {
		if err := es.opts.Removed(r.Context(), e); err != nil {
			es.web.Logger.Warn("images and submission of a takedown not deleted yet; housekeeping deletes them", "entry", e.ID, "err", err)
		}
	}
	web.Changed(r, feed.EntryObject(e), "", "")
	es.web.Logger.Info("entry taken down", "entry", e.ID, "source", e.FeedURL, "guid", e.GUID)
	return nil
}
