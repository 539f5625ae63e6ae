package articles

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/publish/placement"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// maxConflicts bounds the articles on the page of conflicts.
const maxConflicts = 10

// conflictView is the data of conflict.html.
type conflictView struct {
	web.Frame
	Headline string
	Rows     []conflictRow
	More     int // articles that are not listed
	Once     string
	Back     string
	Publish  bool
	Undoing  bool
	Inbox    bool // it was about the inbox
}

// conflictRow is an article that someone else changed.
type conflictRow struct {
	placeRow
	UUID, LastChange string
}

// showConflicts shows what others changed and offers the decision again.
func (as *Articles) showConflicts(w http.ResponseWriter, r *http.Request, did, id string, conflicts []feed.DecisionResult, done int) error {
	now := as.web.Now()
	view := conflictView{
		Frame: web.Frame{Title: "Changed by someone else", Status: http.StatusConflict},
		Headline: web.Plural(len(conflicts), "article") + web.Pick(len(conflicts),
			" was not changed because someone else changed it.", " were not changed because someone else changed them."),
		Publish: did == "published" || did == publishedBlocked, Undoing: did == "undone", Inbox: did == "dismissed" || did == "restored",
		Once: id + "again", Back: backTo(r), More: max(0, len(conflicts)-maxConflicts),
	}
	if done > 0 {
		view.Notice = notices.Get(did, id, done)
		view.Notice.Back = view.Back
	}
	for _, one := range conflicts[:min(maxConflicts, len(conflicts))] {
		found, err := as.store.ArticleView(r.Context(), one.UUID, as.opts.Feeds.Types(), 0)
		if errors.Is(err, feed.ErrNotFound) {
			view.Rows = append(view.Rows, conflictRow{LastChange: "The article was removed.", placeRow: placeRow{Row: placement.Row{Title: one.UUID}}})
			continue
		}
		if err != nil {
			return err
		}
		if f := as.feedOf(&found.Article, one.Type); f != nil {
			view.Rows = append(view.Rows, conflictRow{
				placeRow: placeRowOf(&found.Article, f, "", now), UUID: one.UUID, LastChange: lastChange(&found, f.Type, now),
			})
		}
	}
	return as.web.Render(w, r, "conflict.html", &view)
}

// feedOf returns a feed or, for a decision about the inbox, the first one that an article was published in.
func (as *Articles) feedOf(a *feed.Article, typ string) *feed.Outgoing {
	for i := range as.opts.Feeds {
		f := &as.opts.Feeds[i]
		if f.Type == typ || typ == "" && a.StateIn(f.Type) != feed.StateUnpublished {
			return f
		}
	}
	return nil
}

// lastChange returns who brought an article to its state in a feed, and when.
func lastChange(view *feed.ArticleView, typ string, now time.Time) string {
	p, state := view.Article.Feeds[typ], view.Article.StateIn(typ)
	for i := range view.AuditEntries {
		e := &view.AuditEntries[i]
		if e.Object.Feed == typ && e.After == string(state) {
			return fmt.Sprintf("%s %s it %s.", e.Who, verb(e), web.Ago(e.Time, now).Text)
		}
	}
	what := map[feed.State]string{
		feed.StateImported:  "was imported" + placement.When(p.Imported, now),
		feed.StateExpired:   "expired" + placement.When(p.Expired, now),
		feed.StatePublished: "was published" + placement.When(p.Published, now),
	}[state]
	return "It " + cmp.Or(what, "is "+string(state)) + "."
}

// verb returns what a person did with an article.
func verb(e *feed.AuditEntry) string {
	switch e.Action {
	case actionPublish:
		if e.Before == string(feed.StatePublished) {
			return "republished"
		}
		return "published"
	case actionWithdraw, oldActionWithdraw:
		return "withdrew"
	case actionDismiss:
		return "dismissed"
	case actionRestore:
		return "put back"
	case actionUndo:
		return "restored"
	}
	return e.Action
}
