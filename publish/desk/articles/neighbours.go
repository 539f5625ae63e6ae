package articles

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// way is the list that a person came from, and the articles beside an article there.
type way struct {
	List           web.Link
	Previous, Next string // pages; empty: none
}

// wayOf returns the way of a request, whose query has the list as from.
func (as *Articles) wayOf(r *http.Request, a *feed.Article) (w way, err error) {
	from := web.LocalPath(r.URL.Query().Get("from"))
	inbox := strings.HasPrefix(from, inboxPath)
	switch {
	case inbox:
		w.List = web.Link{Path: from, Text: "Inbox"}
	case strings.HasPrefix(from, listPath):
		w.List = web.Link{Path: from, Text: "All articles"}
	default:
		return way{List: web.Link{Path: listPath, Text: "All articles"}}, nil
	}
	before, after, err := as.store.Neighbours(r.Context(), a, inbox)
	if before != "" {
		w.Previous = "/articles/" + before + "?from=" + url.QueryEscape(from)
	}
	if after != "" {
		w.Next = "/articles/" + after + "?from=" + url.QueryEscape(from)
	}
	return w, err
}
