// Package feeds serves the pages and the API of outgoing feeds: what they contain and who fetches them.
package feeds

import (
	"context"
	"embed"
	"fmt"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Store is what feeds need. Implementations must be safe for concurrent use. Methods return feed.ErrUnavailable if the store cannot answer
// now.
type Store interface {
	// ArticleCounts returns the number of articles in each state, by outgoing feed.
	ArticleCounts(ctx context.Context, types []string) (map[string]map[feed.State]int, error)
	// FeedStates returns the states of outgoing feeds, each with up to visits visits.
	FeedStates(ctx context.Context, types []string, visits int) ([]feed.OutgoingState, error)
	// FeedState returns the state of an outgoing feed with up to articles published articles and up to visits visits.
	FeedState(ctx context.Context, typ string, articles, visits int) (feed.OutgoingState, error)
}

// Options configure Feeds. All fields are required.
type Options struct {
	Feeds feed.OutgoingFeeds // as configured

	// Blocked returns why an outgoing feed leaves an article out; empty: it does not.
	Blocked func(a *feed.Article, typ string) string
	// Document returns an outgoing feed as it is served now.
	Document func(ctx context.Context, typ string) (feed.Distribution, error)
}

// Feeds serves the routes of outgoing feeds. Create it with New.
type Feeds struct {
	store Store
	web   *web.Pages
	opts  Options
}

//go:embed templates
var files embed.FS

// New returns Feeds.
func New(store Store, kit *web.Kit, opts Options) *Feeds {
	return &Feeds{store: store, web: kit.Pages(files, nil), opts: opts}
}

// Site returns the routes of outgoing feeds.
func (fs *Feeds) Site() web.Site {
	all := web.Link{Path: "/feeds", Text: "All outgoing feeds"}
	return web.Site{
		Routes: []web.Route{
			{Pattern: "GET /feeds", Scope: feed.ScopeRead, Serve: fs.showList},
			{Pattern: "GET /feeds/{type}", Scope: feed.ScopeRead, Serve: fs.showFeed},
			{Pattern: "GET /feeds/{type}/document", Scope: feed.ScopeRead, Serve: fs.showDocument},
			{Pattern: "GET /api/v1/feeds", Scope: feed.ScopeRead, Serve: web.Reply(http.StatusOK, fs.list)},
			{Pattern: "GET /api/v1/feeds/{type}", Scope: feed.ScopeRead, Serve: web.Reply(http.StatusOK, fs.get)},
			{Pattern: "GET /api/v1/feeds/{type}/visits", Query: []string{"limit"}, Scope: feed.ScopeRead, Serve: web.Reply(http.StatusOK, fs.listVisits)},
		},
		Missing: []web.Missing{{
			Below: "/feeds/", Text: "This outgoing feed does not exist. Outgoing feeds are defined in the configuration.", List: all,
		}},
		Nav: []web.Link{{Path: "/feeds", Text: "feeds"}},
	}
}

// find returns the outgoing feed of the path.
func (fs *Feeds) find(r *http.Request) (*feed.Outgoing, error) {
	typ := r.PathValue("type")
	if f := fs.opts.Feeds.Find(typ); f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("outgoing feed %.64q: %w; there are: %s", typ, feed.ErrNotFound, strings.Join(fs.opts.Feeds.Types(), ", "))
}

// url returns the URL at which consumers fetch an outgoing feed.
func (fs *Feeds) url(f *feed.Outgoing) string { return fs.web.PublicURL + "/feed/" + f.Type }
