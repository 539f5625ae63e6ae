package articles_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

var undoAt = regexp.MustCompile(`action="(/articles/undo/[0-9a-f]{32})"`)

func TestPublishWithdrawAndUndo(t *testing.T) {
	d, n := newDesk(t)
	b := d.As(t, "ann", feed.RoleEditor)
	one := seenOn(t, b.Get("/articles", 200), storetest.Post(4), "production")
	page := b.Follow("/articles/publish", url.Values{"one": {one}, "once": {"x"}, "back": {"/articles?feed=production"}})
	webtest.Contains(t, page, "Published.", ">Undo<")
	if s := placed(t, n, 4).State; s != feed.StatePublished {
		t.Errorf("it is %q", s)
	}
	undo := undoAt.FindStringSubmatch(page)
	webtest.Contains(t, b.Follow(undo[1], url.Values{"back": {"/articles?feed=production"}}), "Undone.", `aria-current="page"`)
	if s := placed(t, n, 4).State; s != feed.StateUnpublished {
		t.Errorf("undone, it is %q", s)
	}
	entries, err := n.Audit(t.Context(), "", 10)
	if err != nil {
		t.Fatal(err)
	}
	var log []string
	for _, e := range slices.Backward(entries) {
		log = append(log, e.Who+" "+e.Action+" "+e.Object.String()+" "+e.Before+" "+e.After)
	}
	want := []string{
		"ann article_publish " + storetest.Post(4) + " in production unpublished published",
		"ann article_undo " + storetest.Post(4) + " in production published unpublished",
	}
	if strings.Join(log, "\n") != strings.Join(want, "\n") {
		t.Errorf("the audit log says %q", log)
	}
	if rec := b.Send(http.MethodPost, "/articles/undo/00", nil); rec.Code != http.StatusConflict || !strings.Contains(rec.Body.String(), "more than an hour old") {
		t.Errorf("undoing nothing: %d %s", rec.Code, rec.Body)
	}
}

func TestManyArticlesAreWithdrawnAtOnceWithOneUndo(t *testing.T) {
	d, n := newDesk(t)
	b := d.As(t, "ann", feed.RoleEditor)
	page := b.Get("/articles", 200)
	form := url.Values{"once": {"x"}, "feed": {"production"}}
	for i := range 7 {
		form.Add("pick", storetest.Post(i+1))
		form.Add("seen", seenOn(t, page, storetest.Post(i+1), "production"))
		form.Add("seen", seenOn(t, page, storetest.Post(i+1), "development"))
	}
	page = b.Follow("/articles/withdraw", form)
	webtest.Contains(t, page, "3 articles withdrawn.")
	webtest.Contains(t, b.Follow(undoAt.FindStringSubmatch(page)[1], nil), "Undone for 3 articles.")
	if p := placed(t, n, 1); p.State != feed.StatePublished || len(p.Impressions) != 2 {
		t.Errorf("it is %+v", p)
	}
	if rec := b.Send(http.MethodPost, "/articles/withdraw", url.Values{"feed": {"production"}}); rec.Code != 422 || !strings.Contains(rec.Body.String(), "Select articles first") {
		t.Errorf("with nothing picked: %d %s", rec.Code, rec.Body)
	}
	for _, odd := range []string{"x", storetest.Post(1) + " production published one", storetest.Post(1) + " nowhere published 1"} {
		if rec := b.Send(http.MethodPost, "/articles/withdraw", url.Values{"one": {odd}}); rec.Code != 422 {
			t.Errorf("%q: %d", odd, rec.Code)
		}
	}
}

func TestConflictPageShowsTheOtherChange(t *testing.T) {
	d, _ := newDesk(t)
	ann, ben := d.As(t, "ann", feed.RoleEditor), d.As(t, "ben", feed.RoleEditor)
	one := seenOn(t, ann.Get("/articles", 200), storetest.Post(1), "production")
	ann.Follow("/articles/withdraw", url.Values{"one": {one}, "once": {"a"}})
	rec := ben.Send(http.MethodPost, "/articles/publish", url.Values{"one": {one}, "once": {"b"}, "back": {"/articles?q=ferry"}})
	if rec.Code != http.StatusConflict {
		t.Fatalf("got %d %s", rec.Code, rec.Body)
	}
	page := html.UnescapeString(rec.Body.String())
	webtest.Contains(t, page, "1 article was not changed because someone else changed it.", "ann withdrew it just now.", "withdrawn", "Republish anyway")
	again := seenOn(t, rec.Body.String(), storetest.Post(1), "production")
	webtest.Contains(t, ben.Follow("/articles/publish", url.Values{"one": {again}, "once": {"c"}, "back": {"/articles?q=ferry"}}), "Published.")
}
