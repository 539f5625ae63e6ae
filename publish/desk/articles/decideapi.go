package articles

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// order is what the body of a request to publish or withdraw says.
type order struct {
	Feed          string `json:"feed"`           // outgoing feed
	UnlessBlocked bool   `json:"unless_blocked"` // do not publish what the feed would leave out
}

func (as *Articles) checkOrder(o order, publish bool) error {
	if o.UnlessBlocked && !publish {
		return feed.Invalid("unless_blocked", "it is for publishing only")
	}
	return as.checkFeed(o.Feed)
}

// decideOne serves POST /api/v1/articles/{uuid}/publish and /withdraw.
func (as *Articles) decideOne(publish bool) web.Handler {
	return web.Reply(http.StatusOK, func(r *http.Request) (done feed.Transition, err error) {
		var body order
		if err := web.Decode(r, &body); err != nil {
			return done, err
		}
		if err := as.checkOrder(body, publish); err != nil {
			return done, err
		}
		return as.decide(r, r.PathValue("uuid"), body, publish)
	})
}

// decideMany serves POST /api/v1/articles/publish and /withdraw.
func (as *Articles) decideMany(a *web.Action, publish bool) web.Handler {
	return web.Reply(http.StatusMultiStatus, func(r *http.Request) (all web.Bulk, err error) {
		var body struct {
			order
			Articles []string `json:"articles"` // UUIDs
		}
		if err := web.Decode(r, &body); err != nil {
			return all, err
		}
		if err := as.checkOrder(body.order, publish); err != nil {
			return all, err
		}
		return as.web.Bulk(r, a, "articles", body.Articles, func(r *http.Request, id string) (web.BulkItem, error) {
			done, err := as.decide(r, id, body.order, publish)
			return web.BulkItem{Status: http.StatusOK, Transition: &done}, err
		})
	})
}

func (as *Articles) checkFeed(typ string) error {
	if as.opts.Feeds.Find(typ) == nil {
		return feed.Invalid("feed", as.opts.Feeds.Unknown(typ))
	}
	return nil
}

// decide publishes or withdraws an article in one feed, if the condition of the request holds.
func (as *Articles) decide(r *http.Request, name string, o order, publish bool) (feed.Transition, error) {
	typ := o.Feed
	uuid, err := parseUUID(name)
	if err != nil {
		return feed.Transition{}, err
	}
	id, err := requestID(r, uuid, fmt.Sprintf("%s %t", typ, publish))
	if err != nil {
		return feed.Transition{}, err
	}
	decision := feed.Decision{UUID: uuid, Type: typ, Publish: publish}
	if web.HasCondition(r) {
		article, err := as.store.Article(r.Context(), uuid, as.opts.Feeds.Types())
		if err != nil {
			return feed.Transition{}, err
		}
		if err := web.CheckCondition(r, decided(&article)); err != nil {
			return feed.Transition{}, err
		}
		decision.Seen = feed.SeenState{State: article.StateIn(typ), Revision: article.Feeds[typ].Revision}
	}
	if o.UnlessBlocked {
		if err := as.refuseBlocked(r, uuid, typ); err != nil {
			return feed.Transition{}, err
		}
	}
	all, err := as.store.Decide(r.Context(), id, []feed.Decision{decision})
	if err != nil {
		return feed.Transition{}, err
	}
	done, err := as.outcome(r, id, all)
	if publish && err == nil {
		done.Blocked = as.published(r, &all[0])
	}
	return done, err
}

// outcome records the decision with an id about one article, and returns its result.
func (as *Articles) outcome(r *http.Request, id string, all []feed.DecisionResult) (feed.Transition, error) {
	one := &all[0]
	switch {
	case one.Err != nil && one.Now.State == "":
		return feed.Transition{}, fmt.Errorf("article %s: %w", one.UUID, one.Err)
	case one.Err != nil && one.Type == "":
		return feed.Transition{}, fmt.Errorf("article %s is %s in a feed: %w", one.UUID, one.Now.State, one.Err)
	case one.Err != nil:
		return feed.Transition{}, fmt.Errorf("article %s is %s in %s: %w", one.UUID, one.Now.State, one.Type, one.Err)
	}
	as.record(r, all)
	if one.Transition.Changed {
		one.Transition.Undo = id
	}
	return one.Transition, nil
}

// refuseBlocked returns an error with the findings if a feed would leave the article out.
func (as *Articles) refuseBlocked(r *http.Request, uuid, typ string) error {
	article, err := as.store.Article(r.Context(), uuid, []string{typ})
	if err != nil {
		return err
	}
	why, err := as.blocked(r.Context(), &article, typ)
	if err != nil || why == "" {
		return err
	}
	preview, err := as.opts.Preview(r.Context(), article, typ)
	if err != nil {
		return err
	}
	return blockedError{uuid, typ, why, preview.Errors()}
}

// blockedError is a feed.ErrConflict: the article was not published, because the feed would leave it out.
type blockedError struct {
	uuid, typ, why string
	findings       feed.FieldErrors
}

func (e blockedError) Error() string {
	return fmt.Sprintf("article %s was not published: it would be blocked in %s: %s", e.uuid, e.typ, e.why)
}

// Is reports whether target is feed.ErrConflict.
func (e blockedError) Is(target error) bool { return target == feed.ErrConflict }

// As makes the findings the errors of the problem.
func (e blockedError) As(target any) bool {
	findings, ok := target.(*feed.FieldErrors)
	if ok {
		*findings = e.findings
	}
	return ok
}

// requestID identifies a decision of a request about an article. A repetition with the same Idempotency-Key has the same id, so that the store returns the
// first result. The decision is part of the id, so that a key that is used for two decisions does not mix them up.
func requestID(r *http.Request, uuid, decision string) (string, error) {
	key, err := web.IdempotencyKey(r)
	if err != nil {
		return "", err
	}
	if key == "" {
		key = rand.Text()
	}
	return web.Hash(fmt.Sprintf("%s %s %s", uuid, decision, key)), nil
}

// record writes changes to the audit log and the log.
func (as *Articles) record(r *http.Request, done []feed.DecisionResult) {
	web.NothingChanged(r)
	for i := range done {
		one, t := &done[i], done[i].Transition
		if one.Err != nil || !t.Changed || t.Repeated {
			continue
		}
		web.AlsoChanged(r, feed.ArticleObject(one.UUID, one.Type), string(t.From), string(t.To))
		if one.Type != "" {
			as.opts.OnTransition(one.Type, t.From, t.To)
		}
		as.web.Logger.Info("article moved by a person", "article", one.UUID, "feed", one.Type, "from", t.From, "to", t.To)
	}
}

// undo serves POST /api/v1/undo/{id}. The id is undo of a transition.
func (as *Articles) undo(r *http.Request) (web.Bulk, error) {
	id, all := r.PathValue("id"), web.Bulk{Items: []web.BulkItem{}}
	done, err := as.store.Undo(r.Context(), id)
	if errors.Is(err, feed.ErrNotFound) {
		return all, fmt.Errorf("decision %.64q %w: decisions can be undone for an hour", id, feed.ErrNotFound)
	}
	if err != nil {
		return all, err
	}
	as.record(r, done)
	for i := range done {
		one := &done[i]
		err := one.Err
		if err != nil {
			err = fmt.Errorf("it is %s now: %w", one.Now.State, err)
		}
		as.web.Add(&all, r, web.BulkItem{ID: one.UUID, Status: http.StatusOK, Transition: &one.Transition}, err)
	}
	return all, nil
}
