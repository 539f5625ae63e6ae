package sources

import (
	"context"
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// action changes a source that has a revision; 0: any.
type action func(ctx context.Context, id string, revision int) error

func (ss *Sources) pause(ctx context.Context, id string, revision int) error {
	return ss.store.SetPaused(ctx, id, true, revision)
}

func (ss *Sources) resume(ctx context.Context, id string, revision int) error {
	return ss.store.SetPaused(ctx, id, false, revision)
}

// actByForm performs an action on the source of the path and redirects with a notice.
func (ss *Sources) actByForm(notice string, act action) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		id, err := idOf(r)
		if err != nil {
			return err
		}
		if err := act(r.Context(), id, 0); err != nil {
			return err
		}
		source, err := ss.store.Source(r.Context(), id)
		if err != nil {
			return err
		}
		web.Changed(r, feed.SourceObject(&source), "", "")
		web.GoBack(w, r, "/sources/"+id, notice, id)
		return nil
	}
}

func (ss *Sources) pollAllByForm(w http.ResponseWriter, r *http.Request) error {
	if _, err := ss.pollAll(r); err != nil {
		return err
	}
	web.GoBack(w, r, "/sources", "alldue", "")
	return nil
}

func (ss *Sources) removeByForm(w http.ResponseWriter, r *http.Request) error {
	source, err := ss.removeSource(r)
	if err != nil {
		return err
	}
	http.Redirect(w, r, "/sources?did=removed&to="+source.ID, http.StatusSeeOther)
	return nil
}

// removeSource removes the source of the path, if the condition of the request holds.
func (ss *Sources) removeSource(r *http.Request) (feed.Source, error) {
	source, err := ss.sourceOf(r)
	if err != nil {
		return source, err
	}
	revision, err := expectedRevision(r, &source)
	if err != nil {
		return source, err
	}
	if err := ss.store.RemoveSource(r.Context(), source.ID, revision); err != nil {
		return source, err
	}
	web.Changed(r, feed.SourceObject(&source), settings(&source), "")
	ss.web.Logger().Info("source removed", "source", source.ID)
	return source, nil
}

func (ss *Sources) restoreByForm(w http.ResponseWriter, r *http.Request) error {
	source, err := ss.restoreSource(r)
	if err != nil {
		return err
	}
	web.GoBack(w, r, "/sources", "restored", source.ID)
	return nil
}

// restoreSource restores the source of the path.
func (ss *Sources) restoreSource(r *http.Request) (feed.Source, error) {
	id, err := idOf(r)
	if err != nil {
		return feed.Source{}, err
	}
	source, err := ss.store.RestoreSource(r.Context(), id)
	if err != nil {
		return feed.Source{}, err
	}
	web.Changed(r, feed.SourceObject(&source), "", settings(&source))
	ss.web.Logger().Info("source restored", "source", id)
	return source, nil
}
