package articles

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// decideByForm publishes or withdraws the article of the pressed button, or the selected articles.
func (as *Articles) decideByForm(publish bool) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		decisions, err := as.decisions(r, publish)
		if err != nil {
			return err
		}
		if len(decisions) == 0 {
			return feed.Invalid("pick", "select articles first, with the boxes before their titles; the action is not possible for any of those that are selected")
		}
		id := web.Hash(fmt.Sprintf("%s %v", r.PostForm.Get("once"), decisions)) // a repetition of the form has the same id
		done, err := as.store.Decide(r.Context(), id, decisions)
		if err != nil {
			return err
		}
		did := "withdrawn"
		if publish {
			did = "published"
		}
		as.record(r, done)
		if publish && as.anyBlocked(r, done) {
			did = publishedBlocked
		}
		return as.afterDeciding(w, r, did, id, done)
	}
}

// anyBlocked reports whether a feed leaves out one of the articles that were published.
func (as *Articles) anyBlocked(r *http.Request, done []feed.DecisionResult) bool {
	return slices.ContainsFunc(done, func(one feed.DecisionResult) bool {
		return one.Err == nil && as.published(r, &one) != ""
	})
}

// published returns why the feed leaves out an article that was published there. The article is published in any case: without the
// store the reason is empty.
func (as *Articles) published(r *http.Request, done *feed.DecisionResult) string {
	article, err := as.store.Article(r.Context(), done.UUID, []string{done.Type})
	if err != nil {
		return ""
	}
	why, _ := as.blocked(r.Context(), &article, done.Type)
	return why
}

// decisions returns the decisions of a form, each once.
func (as *Articles) decisions(r *http.Request, publish bool) (all []feed.Decision, err error) {
	if one := r.PostForm.Get("one"); one != "" {
		decision, err := as.decision(one, publish)
		return []feed.Decision{decision}, err
	}
	typ, selected, decided := r.PostForm.Get("feed"), make(map[string]bool), make(map[string]bool)
	for _, uuid := range r.PostForm["pick"] {
		selected[uuid] = true
	}
	for _, seen := range r.PostForm["seen"] {
		d, err := as.decision(seen, publish)
		if err != nil {
			return nil, err
		}
		// Publishing several articles skips those that are published, so that their impressions stay.
		out := d.Seen.State == feed.StatePublished
		if selected[d.UUID] && d.Type == typ && out != publish && !decided[d.UUID] {
			decided[d.UUID] = true
			all = append(all, d)
		}
	}
	return all, nil
}

// seenFormat has the UUID of an article, a feed, and state and revision of the article in it.
const seenFormat = "%s %s %s %d"

// decision parses placeRow.Seen.
func (as *Articles) decision(seen string, publish bool) (feed.Decision, error) {
	d := feed.Decision{Publish: publish}
	_, err := fmt.Sscanf(seen, seenFormat, &d.UUID, &d.Type, &d.Seen.State, &d.Seen.Revision)
	if err == nil {
		d.UUID, err = parseUUID(d.UUID)
	}
	if err != nil {
		return d, feed.Invalid("seen", "the form cannot be read; reload the page")
	}
	return d, as.checkFeed(d.Type)
}

// afterDeciding redirects to the page of the form with a notice, or shows what others changed.
func (as *Articles) afterDeciding(w http.ResponseWriter, r *http.Request, did, id string, done []feed.DecisionResult) error {
	var conflicts []feed.DecisionResult
	for _, one := range done {
		if one.Err != nil {
			conflicts = append(conflicts, one)
		}
	}
	if len(conflicts) > 0 {
		return as.showConflicts(w, r, did, id, conflicts, len(done)-len(conflicts))
	}
	web.Redirect(w, r, web.Next{Page: "/articles", Did: did, To: id, N: len(done)})
	return nil
}

// backTo returns the page of articles that a form is on.
func backTo(r *http.Request) string {
	if back := web.LocalPath(r.PostFormValue("back")); strings.HasPrefix(back, listPath) || strings.HasPrefix(back, inboxPath) {
		return back
	}
	return listPath
}

// undoByForm reverts a decision.
func (as *Articles) undoByForm(w http.ResponseWriter, r *http.Request) error {
	done, err := as.store.Undo(r.Context(), r.PathValue("id"))
	if errors.Is(err, feed.ErrNotFound) {
		return fmt.Errorf("the decision is more than an hour old and cannot be undone; publish or withdraw instead: %w", feed.ErrConflict)
	}
	if err != nil {
		return err
	}
	as.record(r, done)
	return as.afterDeciding(w, r, "undone", "", done)
}
