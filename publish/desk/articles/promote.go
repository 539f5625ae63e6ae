package articles

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// promote serves POST /api/v1/entries/{n}/promote.
func (as *Articles) promote(r *http.Request) (article feed.Article, err error) {
	uuid, err := as.promoteEntry(r)
	if err != nil {
		return article, err
	}
	return as.store.Article(r.Context(), uuid, as.opts.Feeds.Types())
}

// promoteByForm makes an article of an entry and shows it.
func (as *Articles) promoteByForm(w http.ResponseWriter, r *http.Request) error {
	uuid, err := as.promoteEntry(r)
	if err == nil {
		web.Redirect(w, r, web.Next{Page: "/articles/" + uuid, Did: "promoted"})
	}
	return err
}

// promoteEntry makes an article of the entry in the path and returns its UUID.
func (as *Articles) promoteEntry(r *http.Request) (uuid string, err error) {
	n := r.PathValue("n")
	if len(n) > 19 || strings.Trim(n, "0123456789") != "" {
		return "", fmt.Errorf("entry %.32q %w: use its number, such as 5 for Entry:5", n, feed.ErrNotFound)
	}
	uuid, err = as.opts.Promote(r.Context(), "Entry:"+n)
	if err == nil {
		web.Changed(r, feed.ArticleObject(uuid, ""), "", "")
	}
	return uuid, err
}
