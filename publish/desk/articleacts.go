package desk

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// maxTold bounds how many articles are told of that somebody else changed meanwhile.
const maxTold = 10

// articlePages adds the routes of articles to the pages.
func (d *Desk) articlePages(mux *http.ServeMux) {
	mux.HandleFunc("GET /articles", d.show(d.showArticles))
	mux.HandleFunc("GET /articles/live", d.show(d.followArticles))
	mux.HandleFunc("GET /articles/{uuid}", d.show(d.showArticlePage))
	mux.HandleFunc("GET /articles/{uuid}/live", d.show(d.followArticle))
	mux.HandleFunc("GET /articles/{uuid}/preview", d.show(d.showPreview))
	mux.HandleFunc("POST /articles/publish", d.form(articlePublish, d.decideByForm(true), d.sorry))
	mux.HandleFunc("POST /articles/unpublish", d.form(articleUnpublish, d.decideByForm(false), d.sorry))
	mux.HandleFunc("POST /articles/undo/{id}", d.form(articleUndo, d.undoByForm, d.sorry))
}

// decideByForm publishes articles or takes them back: the one of the button that was pressed, or those that are picked.
func (d *Desk) decideByForm(publish bool) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		decisions, err := d.decisions(r, publish)
		if err != nil {
			return err
		}
		if len(decisions) == 0 {
			return wrong("pick", "pick articles first, by the boxes before their titles: of those that are picked now, there is none to do that with")
		}
		id := decisionID(r.PostForm.Get("once"), decisions)
		done, err := d.store.Decide(r.Context(), id, decisions)
		if err != nil {
			return err
		}
		did := "takenback"
		if publish {
			did = "published"
		}
		d.tell(r, done)
		return d.afterDeciding(w, r, did, id, done)
	}
}

// decisions are what a form asks for. What it asks twice is asked once.
func (d *Desk) decisions(r *http.Request, publish bool) (all []feed.Decision, err error) {
	if one := r.PostForm.Get("one"); one != "" {
		decision, err := d.decision(one, publish)
		return []feed.Decision{decision}, err
	}
	typ, picked, known := r.PostForm.Get("feed"), make(map[string]bool), make(map[string]bool)
	for _, uuid := range r.PostForm["pick"] {
		picked[uuid] = true
	}
	for _, seen := range r.PostForm["seen"] {
		decision, err := d.decision(seen, publish)
		if err != nil {
			return nil, err
		}
		// Of what is out already, publishing many at once leaves alone the impressions.
		out := decision.Seen.State == feed.StatePublished
		if picked[decision.UUID] && decision.Type == typ && out != publish && !known[decision.UUID] {
			known[decision.UUID] = true
			all = append(all, decision)
		}
	}
	return all, nil
}

// decision reads what placeRow.Seen says.
func (d *Desk) decision(seen string, publish bool) (feed.Decision, error) {
	words := strings.Fields(seen)
	if len(words) != 4 || len(words[0]) != 36 || strings.Trim(words[0], "0123456789abcdef-") != "" {
		return feed.Decision{}, wrong("seen", "load the page again: what it sent cannot be read")
	}
	revision, err := strconv.Atoi(words[3])
	if err != nil {
		return feed.Decision{}, wrong("seen", "load the page again: what it sent cannot be read")
	}
	for _, typ := range d.types {
		if typ == words[1] {
			return feed.Decision{
				UUID: words[0], Type: typ, Publish: publish, Seen: feed.Sighting{State: feed.State(words[2]), Revision: revision},
			}, nil
		}
	}
	return feed.Decision{}, wrong("feed", d.noFeed(words[1]))
}

// decisionID names what is asked for, so that a form which is sent twice does it once.
func decisionID(once string, decisions []feed.Decision) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %v", once, decisions))
	return hex.EncodeToString(sum[:16])
}

// tell writes what was done to the audit log and the log.
func (d *Desk) tell(r *http.Request, done []feed.Decided) {
	changedNothing(r)
	for i := range done {
		one, t := &done[i], done[i].Transition
		if one.Err != nil || !t.Changed || t.Repeated {
			continue
		}
		aboutAlso(r, one.UUID+" in "+one.Type, string(t.From), string(t.To))
		d.opts.OnTransition(one.Type, t.From, t.To)
		d.opts.Logger.Info("article moved by a person", "article", one.UUID, "feed", one.Type, "from", t.From, "to", t.To)
	}
}

// afterDeciding goes back to the page with a notice; or where others came before, shows what they did.
func (d *Desk) afterDeciding(w http.ResponseWriter, r *http.Request, did, id string, done []feed.Decided) error {
	var late []feed.Decided
	for _, one := range done {
		if one.Err != nil {
			late = append(late, one)
		}
	}
	if len(late) > 0 {
		return d.showConflicts(w, r, did, id, late, len(done)-len(late))
	}
	page, err := url.Parse(localPath(r.PostFormValue("back")))
	if err != nil || !strings.HasPrefix(page.Path, "/articles") {
		page = &url.URL{Path: "/articles"}
	}
	query := page.Query()
	query.Set("did", did)
	query.Set("to", id)
	query.Set("n", strconv.Itoa(len(done)))
	http.Redirect(w, r, page.Path+"?"+query.Encode(), http.StatusSeeOther) //nolint:gosec // it is a page of ours, as was checked
	return nil
}

// undoByForm brings back what a decision changed.
func (d *Desk) undoByForm(w http.ResponseWriter, r *http.Request) error {
	done, err := d.store.Undo(r.Context(), r.PathValue("id"))
	if errors.Is(err, feed.ErrNotFound) {
		return fmt.Errorf("that is more than an hour ago, and cannot be undone any more: publish, or take back: %w", feed.ErrConflict)
	}
	if err != nil {
		return err
	}
	d.tell(r, done)
	return d.afterDeciding(w, r, "undone", "", done)
}

// conflictPage is what the template shows.
type conflictPage struct {
	frame
	Headline string
	Rows     []conflictRow
	More     int // that are not told of
	Done     notice
	Once     string
	Back     string
	Publish  bool
	Undoing  bool
}

// conflictRow is an article that is otherwise than its editor saw it.
type conflictRow struct {
	placeRow
	UUID, Said string
}

// showConflicts tells what others did to articles meanwhile, and offers again what was wanted.
func (d *Desk) showConflicts(w http.ResponseWriter, r *http.Request, did, id string, late []feed.Decided, done int) error {
	now := d.opts.Now()
	page := conflictPage{
		Headline: plural(len(late), "article") + " changed meanwhile, and stayed as found.", Publish: did == "published",
		Undoing: did == "undone", Once: id + "again", Back: "/articles",
	}
	if back := localPath(r.PostFormValue("back")); strings.HasPrefix(back, "/articles") {
		page.Back = back
	}
	if done > 0 {
		page.Done = noticeAfter(did, id, done)
		page.Done.Back = page.Back
	}
	page.More = max(0, len(late)-maxTold)
	for _, one := range late[:min(maxTold, len(late))] {
		view, err := d.store.ArticleView(r.Context(), one.UUID, d.types, 0)
		if errors.Is(err, feed.ErrNotFound) {
			page.Rows = append(page.Rows, conflictRow{Said: "There is no such article any more.", placeRow: placeRow{articleRow: articleRow{Title: one.UUID}}})
			continue
		}
		if err != nil {
			return err
		}
		for i := range d.opts.Feeds {
			if f := &d.opts.Feeds[i]; f.Type == one.Type {
				page.Rows = append(page.Rows, conflictRow{
					placeRow: d.placeRowOf(&view.Article, f, "", now), UUID: one.UUID, Said: whoDid(&view, one.Type, now),
				})
			}
		}
	}
	page.frame = d.frame(r, "Changed meanwhile – feedwire", 0)
	d.render(w, r, http.StatusConflict, "conflict.html", page)
	return nil
}

// whoDid says what happened last to an article in a feed.
func whoDid(view *feed.ArticleView, typ string, now time.Time) string {
	p, state := view.Article.Feeds[typ], stateIn(&view.Article, typ)
	for i := range view.Deeds {
		e := &view.Deeds[i]
		if strings.HasSuffix(e.On, " in "+typ) && e.After == string(state) {
			return fmt.Sprintf("%s %s it %s.", e.Who, deedWord(e), ago(e.Time, now).Text)
		}
	}
	switch state {
	case feed.StateImported:
		return "Its consumer took it" + when(p.Imported, now) + "."
	case feed.StateExpired:
		return "It aged out" + when(p.Expired, now) + "."
	case feed.StatePublished:
		return "It was published" + when(p.Published, now) + "."
	}
	return "It is " + strings.ReplaceAll(string(state), "_", " ") + " now."
}

// deedWord is what somebody did with an article.
func deedWord(e *feed.AuditEntry) string {
	switch action(e.Action) {
	case articlePublish:
		if e.Before == string(feed.StatePublished) {
			return "published again"
		}
		return "published"
	case articleUnpublish:
		return "took back"
	case articleUndo:
		return "brought back"
	}
	return inWords(e.Action)
}
