package desk

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

const (
	defaultDays = 7 // of articles shown (seed 000: "recently edited articles of x days")
	maxDays     = 365
)

// listArticles answers the articles updated in the last days, newest update first, that the sieve of the request lets
// through. With feed only that feed's placement is shown; with state those come first that came into it last.
func (d *Desk) listArticles(w http.ResponseWriter, r *http.Request) error {
	s, err := d.sieveOf(r)
	if err != nil {
		return err
	}
	if s.state != "" && s.typ == "" {
		return wrong("feed", "required with state: an article has one in each feed")
	}
	limit, err := limit(r)
	if err != nil {
		return err
	}
	days, err := number(r, "days", defaultDays, 1, maxDays)
	if err != nil {
		return err
	}
	from, err := feed.ParseCursor(r.URL.Query().Get("cursor"))
	if err != nil {
		return wrong("cursor", err.Error())
	}
	types := d.types
	if s.typ != "" {
		types = []string{s.typ}
	}
	plan := s.plan(from, limit)
	plan.Since = d.opts.Now().Add(-time.Duration(days) * 24 * time.Hour)
	page, err := d.store.FindArticles(r.Context(), plan, types, d.getsThrough(s, types))
	if err != nil {
		return err
	}
	for i := range page.Articles {
		d.tellHeld(&page.Articles[i])
	}
	answer(w, http.StatusOK, list(page.Articles, page.Next.String()))
	return nil
}

// tellHeld adds to each placement why the feed leaves the article out.
func (d *Desk) tellHeld(a *feed.Article) {
	for typ, p := range a.Feeds {
		p.HeldBack = d.opts.HeldBack(a, typ)
		a.Feeds[typ] = p
	}
}

// stateIn is the state of an article in an outgoing feed; known where it has never been out.
func stateIn(a *feed.Article, typ string) feed.State {
	if state := a.Feeds[typ].State; state != "" {
		return state
	}
	return feed.StateKnown
}

func (d *Desk) showArticle(w http.ResponseWriter, r *http.Request) error {
	uuid, err := articleUUID(r)
	if err != nil {
		return err
	}
	article, err := d.store.Article(r.Context(), uuid, d.types)
	if err != nil {
		return err
	}
	decided(w, decidedOfArticle(&article))
	d.tellHeld(&article)
	answer(w, http.StatusOK, article)
	return nil
}

// previewArticle answers an article as one feed would carry it.
func (d *Desk) previewArticle(w http.ResponseWriter, r *http.Request) error {
	preview, err := d.previewOf(r)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, preview)
	return nil
}

// articleUUID takes the article from the path.
func articleUUID(r *http.Request) (string, error) { return checkUUID(r.PathValue("uuid")) }

// checkUUID brings the name of an article to its one spelling.
func checkUUID(name string) (string, error) {
	uuid := strings.ToLower(name)
	if len(uuid) != 36 || strings.Trim(uuid, "0123456789abcdef-") != "" {
		return "", fmt.Errorf("article %.64q %w: name it by its UUID", uuid, feed.ErrNotFound)
	}
	return uuid, nil
}

func (d *Desk) publish(w http.ResponseWriter, r *http.Request) error {
	return d.transition(w, r, articlePublish)
}

func (d *Desk) unpublish(w http.ResponseWriter, r *http.Request) error {
	return d.transition(w, r, articleUnpublish)
}

// placementBody is what publish and unpublish take.
type placementBody struct {
	Feed string `json:"feed"` // the outgoing feed
}

// transition moves the article of the path in one feed and answers what that did.
func (d *Desk) transition(w http.ResponseWriter, r *http.Request, a action) error {
	var body placementBody
	if err := decode(w, r, &body); err != nil {
		return err
	}
	if err := d.checkFeed(body.Feed); err != nil {
		return err
	}
	uuid, err := articleUUID(r)
	if err != nil {
		return err
	}
	done, err := d.move(r, a, uuid, body.Feed)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, done)
	return nil
}

func (d *Desk) checkFeed(typ string) error {
	if !slices.Contains(d.types, typ) {
		return wrong("feed", d.noFeed(typ))
	}
	return nil
}

// move publishes an article in one feed, or takes it back.
func (d *Desk) move(r *http.Request, a action, uuid, typ string) (feed.Transition, error) {
	id, err := requestID(r, a, uuid, typ)
	if err != nil {
		return feed.Transition{}, err
	}
	done, err := d.place(r, a, uuid, typ, id)
	if err != nil {
		return done, err
	}
	if done.Changed {
		done.Undo = id
	}
	about(r, uuid+" in "+typ, string(done.From), string(done.To))
	if !done.Changed || done.Repeated {
		changedNothing(r)
	} else {
		d.opts.OnTransition(typ, done.From, done.To)
		d.opts.Logger.Info("article moved by a person", "article", uuid, "feed", typ, "from", done.From, "to", done.To)
	}
	return done, nil
}

// place has the store move an article, on the condition of the request where there is one.
func (d *Desk) place(r *http.Request, a action, uuid, typ, id string) (feed.Transition, error) {
	decision := feed.Decision{UUID: uuid, Type: typ, Publish: a == articlePublish}
	if conditional(r) {
		article, err := d.store.Article(r.Context(), uuid, d.types)
		if err != nil {
			return feed.Transition{}, err
		}
		if err := unchanged(r, decidedOfArticle(&article)); err != nil {
			return feed.Transition{}, err
		}
		decision.Seen = feed.Sighting{State: stateIn(&article, typ), Revision: article.Feeds[typ].Revision}
	}
	all, err := d.store.Decide(r.Context(), id, []feed.Decision{decision})
	if err != nil {
		return feed.Transition{}, err
	}
	switch done := &all[0]; {
	case done.Err == nil:
		return done.Transition, nil
	case done.Now.State != "":
		return feed.Transition{}, fmt.Errorf("article %s is %s in %s: %w", uuid, done.Now.State, typ, done.Err)
	default:
		return feed.Transition{}, fmt.Errorf("article %s: %w", uuid, done.Err)
	}
}

// requestID names the request for the store, so that a repetition of it answers what the first one did. A client says
// by the header Idempotency-Key that a request is a repetition. The name covers what is asked for as well: a key used
// for two things must not answer the second with the first.
func requestID(r *http.Request, a action, uuid, typ string) (string, error) {
	key := r.Header.Get("Idempotency-Key")
	if len(key) > maxKey {
		return "", wrong("Idempotency-Key", fmt.Sprintf("it has %d bytes, at most %d are allowed", len(key), maxKey))
	}
	if key == "" {
		key = rand.Text()
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %s %s", a, uuid, typ, key))
	return hex.EncodeToString(sum[:16]), nil
}
