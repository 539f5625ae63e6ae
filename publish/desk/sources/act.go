package sources

import (
	"context"
	"fmt"
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

// act returns a function that performs an action on the source of the path, if the condition of the request holds, and returns the
// source.
func (ss *Sources) act(do action) func(*http.Request) (feed.Source, error) {
	return func(r *http.Request) (feed.Source, error) {
		source, revision, err := ss.wanted(r)
		if err != nil {
			return source, err
		}
		if err := do(r.Context(), source.ID, revision); err != nil {
			return source, err
		}
		if source, err = ss.store.Source(r.Context(), source.ID); err != nil {
			return source, err
		}
		web.Changed(r, feed.SourceObject(&source), "", "")
		ss.complete(&source)
		return source, nil
	}
}

// wanted returns the source of the path if the condition of the request holds, and the revision that it must have when it is changed;
// 0: any.
func (ss *Sources) wanted(r *http.Request) (source feed.Source, revision int, err error) {
	if source, err = ss.sourceOf(r); err == nil && web.HasCondition(r) {
		revision, err = source.Revision, web.CheckCondition(r, decided(&source))
	}
	return source, revision, err
}

// complete sets what the daemon knows about a source beyond the store.
func (ss *Sources) complete(s *feed.Source) {
	s.Pace, s.Republished = ss.opts.Pace(s), ss.opts.Republished(s.ID)
}

// form returns a handler that leads to the page of the source that do has changed.
func form(did string, do func(*http.Request) (feed.Source, error)) web.Handler {
	return web.Form(func(r *http.Request) (web.Next, error) {
		source, err := do(r)
		return web.Next{Page: "/sources/" + source.ID, Did: did, To: source.ID}, err
	})
}

// remove removes the source of the path, if the condition of the request holds.
func (ss *Sources) remove(r *http.Request) error {
	source, revision, err := ss.wanted(r)
	if err != nil {
		return err
	}
	if err := ss.removeSource(r.Context(), &source, revision); err != nil {
		return err
	}
	web.Changed(r, feed.SourceObject(&source), settings(&source), "")
	ss.web.Logger.Info("source removed", "source", source.ID)
	return nil
}

// removeSource removes a source. feed.ErrConflict: it has the posts of a member.
func (ss *Sources) removeSource(ctx context.Context, s *feed.Source, revision int) error {
	if s.OfMember() {
		return fmt.Errorf("removing %s is %w: it has the posts of an account, which could not be restored; take down posts, or remove the account",
			s.URL, feed.ErrConflict)
	}
	return ss.store.RemoveSource(ctx, s.ID, revision)
}

func (ss *Sources) removeByForm(r *http.Request) (web.Next, error) {
	id, _ := idOf(r) // remove returns its error
	return web.Next{Page: "/sources", Did: "removed", To: id}, ss.remove(r)
}

// restore restores the source of the path.
func (ss *Sources) restore(r *http.Request) (feed.Source, error) {
	id, err := idOf(r)
	if err != nil {
		return feed.Source{}, err
	}
	source, err := ss.store.RestoreSource(r.Context(), id)
	if err != nil {
		return source, err
	}
	web.Changed(r, feed.SourceObject(&source), "", settings(&source))
	ss.web.Logger.Info("source restored", "source", id)
	return source, nil
}

// idOf returns the id of the source in the path, which is an id or an escaped URL.
func idOf(r *http.Request) (string, error) { return feed.ParseSourceID(r.PathValue("id")) }

// sourceOf returns the source in the path.
func (ss *Sources) sourceOf(r *http.Request) (feed.Source, error) {
	id, err := idOf(r)
	if err != nil {
		return feed.Source{}, err
	}
	return ss.store.Source(r.Context(), id)
}

// decided identifies what people decide about a source: its settings and whether it is paused.
func decided(s *feed.Source) string {
	return web.Hash(fmt.Sprintf("%s %d %d %t", s.URL, s.Added.Unix(), s.Revision, s.Paused))
}
