// Package articles serves the pages and the API of articles: lists, an article with its history and preview, and decisions to publish
// or withdraw.
package articles

import (
	"context"
	"embed"
	"net/http"

	"github.com/feedwire/feedwire/publish/placement"
	"github.com/feedwire/feedwire/publish/prose"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Options configure Articles. All fields but Search are required.
type Options struct {
	Feeds feed.OutgoingFeeds // as configured

	// Verdict returns why an outgoing feed leaves an article out, or would if it was published; empty: it does not. It calls read
	// for the article with its content if it has to render the article.
	Verdict func(a *feed.Article, typ string, read func() (feed.Article, error)) (string, error)
	// Preview returns an article as an outgoing feed carries it.
	Preview func(ctx context.Context, a feed.Article, typ string) (placement.Preview, error)
	// Search finds entries. nil: texts are looked for in the articles, one after another.
	Search feed.FindEntries
	// ImageURL returns the address of this site at which an image of a source is served; "" if images are not shown.
	ImageURL func(url string) string
	// Promote makes an article of an entry and returns its UUID. It is a no-op if the entry has one. feed.ErrConflict: the article could not
	// follow the entry.
	Promote func(ctx context.Context, entry string) (uuid string, err error)
	// OnTransition is called after each change of state.
	OnTransition func(typ string, from, to feed.State)
}

// Articles serves the routes of articles. Create it with New.
type Articles struct {
	store Store
	web   *web.Pages
	prose *prose.Prose
	opts  Options
}

//go:embed templates
var files embed.FS

var notices = web.Notices{
	"published": {One: "Published.", Many: "%d articles published.", Undo: "/articles/undo/%s"},
	publishedBlocked: {
		One:  "Published, but blocked: the feed leaves it out until it is valid. Its row names the reason.",
		Many: "%d articles published, but some are blocked: the feed leaves them out until they are valid. Their rows name the reasons.",
		Undo: "/articles/undo/%s",
	},
	"withdrawn": {One: "Withdrawn.", Many: "%d articles withdrawn.", Undo: "/articles/undo/%s"},
	"dismissed": {One: "Dismissed.", Many: "%d articles dismissed.", Undo: "/articles/undo/%s"},
	"restored":  {One: "Back in the inbox.", Many: "%d articles are back in the inbox.", Undo: "/articles/undo/%s"},
	"promoted":  {One: "This is the article of the entry. Publish it in a feed."},
	"undone":    {One: "Undone.", Many: "Undone for %d articles."},
}

// publishedBlocked is the notice about articles that a feed leaves out.
const publishedBlocked = "published-blocked"

// New returns Articles.
func New(store Store, kit *web.Kit, opts Options) *Articles {
	return &Articles{store: store, web: kit.Pages(files, notices), prose: prose.New(opts.ImageURL), opts: opts}
}

// Site returns the routes of articles.
func (as *Articles) Site() web.Site {
	publish := &web.Action{Name: actionPublish, Text: "published"}
	withdraw := &web.Action{Name: actionWithdraw, Text: "withdrew"}
	undo := &web.Action{Name: actionUndo, Text: "undid a decision about"}
	dismiss := &web.Action{Name: actionDismiss, Text: "dismissed"}
	restore := &web.Action{Name: actionRestore, Text: "put back into the inbox"}
	promote := &web.Action{Name: "article_promote", Text: "made an article of"}
	read, decide := feed.ScopeRead, feed.ScopePublish
	routes := []web.Route{
		{Pattern: "GET /inbox", Scope: read, Serve: as.showList},
		{Pattern: "GET /inbox/live", Scope: read, Serve: as.followList, Lasts: true},
		{Pattern: "GET /articles", Scope: read, Serve: as.showList},
		{Pattern: "GET /articles/live", Scope: read, Serve: as.followList, Lasts: true},
		{Pattern: "GET /articles/{uuid}", Scope: read, Serve: as.showArticle},
		{Pattern: "GET /articles/{uuid}/text", Scope: read, Serve: as.showText},
		{Pattern: "GET /articles/{uuid}/live", Scope: read, Serve: as.followArticle, Lasts: true},
		{Pattern: "GET /articles/{uuid}/preview", Scope: read, Serve: as.showPreview},
		{Pattern: "POST /articles/publish", Scope: decide, Action: publish, Serve: as.decideByForm(true)},
		{Pattern: "POST /articles/withdraw", Scope: decide, Action: withdraw, Serve: as.decideByForm(false)},
		{Pattern: "POST /articles/dismiss", Scope: decide, Action: dismiss, Serve: as.dismissByForm(false)},
		{Pattern: "POST /articles/restore", Scope: decide, Action: restore, Serve: as.dismissByForm(true)},
		{Pattern: "POST /articles/undo/{id}", Scope: decide, Action: undo, Serve: as.undoByForm},
		{Pattern: "POST /entries/{n}/promote", Scope: decide, Action: promote, Serve: as.promoteByForm},

		{Pattern: "GET /api/v1/articles", Query: []string{"feed", "state", "source", "q", "days", "limit", "cursor"}, Scope: read, Serve: web.Reply(http.StatusOK, as.list)},
		{Pattern: "GET /api/v1/articles/{uuid}", Scope: read, Serve: as.get},
		{Pattern: "GET /api/v1/articles/{uuid}/preview", Query: []string{"feed"}, Scope: read, Serve: web.Reply(http.StatusOK, as.previewOf)},
		{Pattern: "GET /api/v1/articles/{uuid}/history", Scope: read, Serve: web.Reply(http.StatusOK, as.history)},
		{Pattern: "POST /api/v1/articles/{uuid}/publish", Scope: decide, Action: publish, Serve: as.decideOne(true)},
		{Pattern: "POST /api/v1/articles/{uuid}/withdraw", Scope: decide, Action: withdraw, Serve: as.decideOne(false)},
		{Pattern: "POST /api/v1/articles/publish", Scope: decide, Action: publish, Serve: as.decideMany(publish, true)},
		{Pattern: "POST /api/v1/articles/withdraw", Scope: decide, Action: withdraw, Serve: as.decideMany(withdraw, false)},
		{Pattern: "POST /api/v1/articles/dismiss", Scope: decide, Action: dismiss, Serve: as.dismissMany(dismiss, false)},
		{Pattern: "POST /api/v1/articles/restore", Scope: decide, Action: restore, Serve: as.dismissMany(restore, true)},
		{Pattern: "POST /api/v1/undo/{id}", Scope: decide, Action: undo, Serve: web.Reply(http.StatusMultiStatus, as.undo)},
		{Pattern: "POST /api/v1/entries/{n}/promote", Scope: decide, Action: promote, Serve: web.Reply(http.StatusOK, as.promote)},
	}
	all := web.Link{Path: "/articles", Text: "All articles"}
	return web.Site{
		Routes: routes, Actions: []*web.Action{{Name: oldActionWithdraw, Text: "withdrew"}},
		Missing: []web.Missing{{Below: "/articles/", Text: "This article does not exist, or it was removed.", List: all}},
		Nav:     []web.Link{{Path: "/inbox", Text: "inbox"}, {Path: "/articles", Text: "articles"}},
	}
}

// Names of actions in the audit log.
const (
	actionPublish     = "article_publish"
	actionWithdraw    = "article_withdraw"
	actionDismiss     = "article_dismiss"
	actionRestore     = "article_restore"
	actionUndo        = "article_undo"
	oldActionWithdraw = "article_unpublish" // recorded by older versions
)

// followList serves "/inbox/live" and "/articles/live": an event whenever the list of the same query changes.
func (as *Articles) followList(w http.ResponseWriter, r *http.Request) error {
	return as.web.Follow(w, r, func() ([]any, error) {
		view, err := as.listView(r)
		if err != nil {
			return nil, err
		}
		var seen []any // without times, which pages show relative to now
		for i := range view.Rows {
			row := &view.Rows[i]
			seen = append(seen, row.UUID, row.Name(), row.Updated.Unix())
			for _, p := range row.Places {
				seen = append(seen, p.Seen, p.Impressions, p.Blocked, p.Would)
			}
		}
		return seen, nil
	})
}

// followArticle serves "/articles/{uuid}/live": an event whenever something happens to the article.
func (as *Articles) followArticle(w http.ResponseWriter, r *http.Request) error {
	return as.web.Follow(w, r, func() ([]any, error) {
		view, err := as.view(r, as.opts.Feeds.Types(), 0)
		if err != nil {
			return nil, err
		}
		entries := view.AuditEntries
		return []any{view.Article.Feeds, view.Article.Digest, len(entries), entries[:min(1, len(entries))]}, nil
	})
}
