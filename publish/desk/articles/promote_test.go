package articles_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/feedwire/feedwire/publish/desk/articles"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestEditorMakesAnArticleOfAnEntry(t *testing.T) {
	d, n := newDesk(t, func(opts *articles.Options) {
		opts.Promote = func(_ context.Context, entry string) (string, error) {
			if entry != "Entry:5" {
				return "", feed.ErrNotFound
			}
			return storetest.Post(2), nil
		}
	})
	editor := d.As(t, "ann", feed.RoleEditor)
	webtest.Contains(t, editor.Follow("/entries/5/promote", nil), "Publish it in a feed", "Why the old lighthouse")
	if a := webtest.Read[feed.Article](t, d.Call(http.MethodPost, "/api/v1/entries/5/promote", "")); a.UUID != storetest.Post(2) || len(a.Feeds) != 2 {
		t.Errorf("promoted %+v", a)
	}
	if log, err := n.Audit(t.Context(), "", 1); err != nil || log[0].Action != "article_promote" || log[0].Object.ID != storetest.Post(2) {
		t.Errorf("the audit log has %+v, %v", log, err)
	}
	for _, number := range []string{"6", "x", "-5"} {
		if rec := d.Call(http.MethodPost, "/api/v1/entries/"+number+"/promote", ""); rec.Code != http.StatusNotFound {
			t.Errorf("entry %s: %d %s", number, rec.Code, rec.Body)
		}
	}
	if rec := d.As(t, "vic", feed.RoleViewer).Send(http.MethodPost, "/entries/5/promote", nil); rec.Code != http.StatusForbidden {
		t.Errorf("a viewer got %d", rec.Code)
	}
}
