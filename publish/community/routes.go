package community

import (
	"net/http"
	"net/url"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// pageRoutes returns the routes of the site. Their paths are those of Lamer News.
func (c *Community) pageRoutes(submit, edit, remove, vote, comment *web.Action) []web.Route {
	at := c.opts.Mount.Pattern
	page := func(path string, scope feed.Scope, serve web.Handler, query ...string) web.Route {
		return web.Route{Pattern: at("GET", path), Query: append([]string{}, query...), Scope: scope, Serve: serve, Failed: c.showProblem}
	}
	form := func(path string, scope feed.Scope, action *web.Action, do func(*http.Request) (web.Next, error), failed web.Handler) web.Route {
		return web.Route{Pattern: at("POST", path), Query: []string{}, Scope: scope, Action: action, Serve: web.Form(do), Failed: failed}
	}
	save, report := &web.Action{Name: "submission_save"}, &web.Action{Name: "report_write"}
	routes := []web.Route{
		page("/", web.Anyone, c.showTop, "cursor", "from"),
		page("/latest", web.Anyone, c.showLatest, "cursor", "from"),
		page("/news/{n}", web.Anyone, c.showNews, "from"),
		page("/comment/{n}/{comment}", web.Anyone, c.showComment, "from"),
		page("/user/{name}", web.Anyone, c.showUser),
		page("/usernews/{name}", web.Anyone, c.showSubmitted, "cursor", "from"),
		page("/usercomments/{name}", web.Anyone, c.showWritten, "cursor", "from"),
		page("/about", web.Anyone, c.showAbout),
		page("/avatar/{name}", web.Anyone, c.showPicture),
		page("/random", web.Anyone, c.showRandom),
		page("/rss", web.Public, c.serveFeed(feed.NewsLatest, "/rss", "New")),
		page("/rss/top", web.Public, c.serveFeed(feed.NewsTop, "/rss/top", "Top")),
		page("/news/{n}/rss", web.Public, c.serveCommentsFeed),
		page("/saved", feed.ScopeFollows, c.showSaved, "cursor", "from"),
		page("/replies", feed.ScopeFollows, c.showReplies, "cursor", "from"),
		page("/report/{n}", feed.ScopeFollows, c.showReport),
		page("/report/{n}/{comment}", feed.ScopeFollows, c.showReport),
		page("/submit", feed.ScopePosts, c.showSubmit, "t", "u"),
		page("/editnews/{n}", feed.ScopePosts, c.showEdit),
		page("/reply/{n}/{comment}", feed.ScopePosts, c.showReply),
		page("/editcomment/{n}/{comment}", feed.ScopePosts, c.showEditComment),

		{Pattern: at("POST", "/submit"), Query: []string{}, Scope: feed.ScopePosts, Action: submit, Serve: c.submitByForm, Failed: c.showSubmit},
		form("/editnews/{n}", feed.ScopePosts, edit, c.editByForm, c.showEdit),
		form("/news/{n}/delete", feed.ScopePosts, remove, c.removeByForm, c.showProblem),
		form("/news/{n}/vote", feed.ScopeFollows, vote, c.voteByForm, c.showProblem),
		form("/news/{n}/save", feed.ScopeFollows, save, c.saveByForm(true), c.showProblem),
		form("/news/{n}/unsave", feed.ScopeFollows, save, c.saveByForm(false), c.showProblem),
		form("/report/{n}", feed.ScopeFollows, report, c.reportByForm, c.showReport),
		form("/report/{n}/{comment}", feed.ScopeFollows, report, c.reportByForm, c.showReport),
		form("/news/{n}/comments", feed.ScopePosts, comment, c.commentByForm, c.showReply),
		form("/editcomment/{n}/{comment}", feed.ScopePosts, comment, c.editCommentByForm, c.showEditComment),
		form("/comment/{n}/{comment}/delete", feed.ScopePosts, comment, c.deleteCommentByForm, c.showProblem),
		form("/comment/{n}/{comment}/vote", feed.ScopeFollows, vote, c.voteOnCommentByForm, c.showProblem),
	}
	if c.opts.Mount.Host() != "" {
		moved := web.Route{Pattern: "GET " + sitePath + "/{rest...}", Scope: web.Public, Serve: c.redirectToHost}
		home := moved
		home.Pattern = "GET " + sitePath
		routes = append(routes, home, moved)
	}
	return routes
}

// sitePath is the path of the site on hosts that have other pages, too.
const sitePath = "/community"

// NewMount returns the place of the site: below a path of every host, or at the root of a host of its own.
func NewMount(host, publicURL string) web.Mount { return web.NewMount(sitePath, host, publicURL) }

// redirectToHost leads from the path that the site has without a host of its own.
func (c *Community) redirectToHost(w http.ResponseWriter, r *http.Request) error {
	path := (&url.URL{Path: "/" + r.PathValue("rest")}).EscapedPath()
	http.Redirect(w, r, web.WithQuery(c.opts.Mount.URL(path), r.URL.Query()), http.StatusPermanentRedirect) //nolint:gosec // the host is that of the configuration
	return nil
}
