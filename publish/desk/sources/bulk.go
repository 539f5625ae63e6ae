package sources

import (
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// forMany performs an action on each source of the body and records it.
func (ss *Sources) forMany(a *web.Action, status int, do func(r *http.Request, s *feed.Source) error) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		var body struct {
			Sources []string `json:"sources"` // ids or URLs
		}
		if err := web.Decode(w, r, &body); err != nil {
			return err
		}
		return ss.web.Bulk(w, r, a, "sources", body.Sources, func(r *http.Request, name string) (int, *feed.Transition, error) {
			id, err := parseID(name)
			if err != nil {
				return 0, nil, err
			}
			source, err := ss.store.Source(r.Context(), id)
			if err != nil {
				return 0, nil, err
			}
			web.Changed(r, feed.SourceObject(&source), "", "")
			return status, nil, do(r, &source)
		})
	}
}

func (ss *Sources) actOnMany(a *web.Action, status int, act action) web.Handler {
	return ss.forMany(a, status, func(r *http.Request, s *feed.Source) error { return act(r.Context(), s.ID, 0) })
}

func (ss *Sources) removeMany(a *web.Action) web.Handler {
	return ss.forMany(a, http.StatusNoContent, func(r *http.Request, s *feed.Source) error {
		web.Changed(r, feed.SourceObject(s), settings(s), "")
		return ss.store.RemoveSource(r.Context(), s.ID, 0)
	})
}
