package articles

import (
	"fmt"
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// dismissByForm dismisses the article of the pressed button, or the selected articles; restore puts them back into the inbox.
func (as *Articles) dismissByForm(restore bool) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		uuids := r.PostForm["pick"]
		if one := r.PostForm.Get("one"); one != "" {
			uuids = []string{one}
		}
		if len(uuids) == 0 || len(uuids) > web.MaxLimit {
			return feed.Invalid("pick", fmt.Sprintf("select 1 to %d articles first, with the boxes before their titles", web.MaxLimit))
		}
		for i, name := range uuids {
			uuid, err := parseUUID(name)
			if err != nil {
				return err
			}
			uuids[i] = uuid
		}
		did := "dismissed"
		if restore {
			did = "restored"
		}
		id := web.Hash(fmt.Sprintf("%s %s %v", r.PostForm.Get("once"), did, uuids)) // a repetition of the form has the same id
		done, err := as.store.Dismiss(r.Context(), id, uuids, restore)
		if err != nil {
			return err
		}
		as.record(r, done)
		return as.afterDeciding(w, r, did, id, done)
	}
}

// dismissMany serves POST /api/v1/articles/dismiss and /restore.
func (as *Articles) dismissMany(a *web.Action, restore bool) web.Handler {
	return web.Reply(http.StatusMultiStatus, func(r *http.Request) (all web.Bulk, err error) {
		var body struct {
			Articles []string `json:"articles"` // UUIDs
		}
		if err := web.Decode(r, &body); err != nil {
			return all, err
		}
		return as.web.Bulk(r, a, "articles", body.Articles, func(r *http.Request, id string) (web.BulkItem, error) {
			done, err := as.dismiss(r, id, restore)
			return web.BulkItem{Status: http.StatusOK, Transition: &done}, err
		})
	})
}

// dismiss dismisses an article, or puts it back into the inbox.
func (as *Articles) dismiss(r *http.Request, name string, restore bool) (feed.Transition, error) {
	uuid, err := parseUUID(name)
	if err != nil {
		return feed.Transition{}, err
	}
	id, err := requestID(r, uuid, fmt.Sprintf("inbox %t", restore))
	if err != nil {
		return feed.Transition{}, err
	}
	all, err := as.store.Dismiss(r.Context(), id, []string{uuid}, restore)
	if err != nil {
		return feed.Transition{}, err
	}
	return as.outcome(r, id, all)
}
