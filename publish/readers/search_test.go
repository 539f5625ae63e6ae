package readers_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/readers"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// searching returns a desk whose index finds the entries with a word in their titles, and ann follows two sources.
func searching(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t)
	d.save(webtest.Noon().Add(-time.Hour), "Low tide", "High tide", "Ebb", "Spring tide")
	user := d.Visitor.Account.ID
	for _, f := range []feed.Follow{{FeedURL: storetest.Paused, Folder: "Sea"}, {FeedURL: storetest.Slow, Folder: "Land"}} {
		if _, err := d.Newsroom.Follow(t.Context(), user, f); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := d.Entries(t.Context(), storetest.Paused, 100)
	if err != nil {
		t.Fatal(err)
	}
	find := func(_ context.Context, s *feed.Search, see func(*feed.Entry) bool, after feed.Cursor, limit int) (page feed.SearchPage, err error) {
		for _, e := range stored {
			old := !after.IsZero() && float64(e.Timestamp.Unix()) >= after.Score
			if old || !slices.Contains(s.Feeds, e.FeedURL) || !strings.Contains(e.Title, s.Terms[0].Text) || !see(&e) {
				continue
			}
			if len(page.Hits) == limit {
				last := page.Hits[limit-1].Entry
				page.Next = feed.Cursor{Score: float64(last.Timestamp.Unix()), Member: last.Number()}
				break
			}
			e.Content = ""
			page.Hits = append(page.Hits, feed.SearchHit{Entry: e})
		}
		return page, nil
	}
	d.Mount(readers.New(d.Newsroom, d.Kit, readers.Options{ImageURL: func(string) string { return "" }, Search: find}))
	return d
}

func TestReadersSearchTheirTimeline(t *testing.T) {
	d := searching(t)
	found := func(query string) string {
		t.Helper()
		var titles []string
		for cursor := ""; ; {
			page := webtest.Get[feed.Page[feed.ReaderEntry]](t, d.Desk, "/api/v1/me/feed?limit=2&"+query+"&cursor="+cursor)
			for _, e := range page.Items {
				titles = append(titles, e.Title)
			}
			if cursor = page.Next; cursor == "" {
				return strings.Join(titles, ", ")
			}
		}
	}
	stored, err := d.Entries(t.Context(), storetest.Paused, 100)
	if err == nil {
		err = d.MarkEntries(t.Context(), d.Visitor.Account.ID, []string{stored[1].ID}, feed.StateRead)
	}
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"q=tide": "Low tide, High tide, Spring tide", "q=tide&unread=1": "Low tide, Spring tide", "q=tide&folder=Sea": "Low tide, High tide, Spring tide",
		"q=tide&folder=Land": "", "q=tide&source=" + feed.SourceID(storetest.Paused): "Low tide, High tide, Spring tide", "q=quay": "",
	} {
		if got := found(query); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
	b := d.browser()
	page := b.Get("/read?q=tide&folder=Sea", 200)
	webtest.InOrder(t, page, `value="tide"`, `name="folder" value="Sea"`, "Clear the search", "Low tide", "High tide", "Spring tide")
	if strings.Contains(page, "Ebb") || strings.Contains(page, "Mark all as read") {
		t.Errorf("the page of a search is %s", page)
	}
	webtest.Contains(t, b.Get("/read?q=quay", 200), "No entry of this view has these words.")
	b.Get("/read?q=after:today", http.StatusUnprocessableEntity)
	muted := true
	if _, err := d.ChangeFollow(t.Context(), d.Visitor.Account.ID, storetest.Paused, feed.FollowChange{Muted: &muted}); err != nil {
		t.Fatal(err)
	}
	if got := found("q=tide") + found("q=tide&source="+feed.SourceID(storetest.Paused)); got != "Low tide, High tide, Spring tide" {
		t.Errorf("a muted source: %s", got)
	}
}

func TestAppsSearch(t *testing.T) {
	d := searching(t)
	d.Visitor.ByToken = true
	ids := func(query string, want int) {
		t.Helper()
		rec := d.Call(http.MethodGet, "/api/greader.php/reader/api/0/search/items/ids?output=json&"+query, "")
		if got := strings.Count(rec.Body.String(), `{"id":"`); rec.Code != http.StatusOK || got != want {
			t.Errorf("%s: got %d %s, want %d ids", query, rec.Code, rec.Body, want)
		}
	}
	ids("q=tide", 3)
	ids("q=tide&num=1", 1)
	ids("q=tide&s=user/-/label/Land", 0)
	ids("q=tide&s=feed/"+storetest.Paused, 3)
	d.Mount(readers.New(d.Newsroom, d.Kit, readers.Options{}))
	for _, path := range []string{"/api/v1/me/feed?q=tide", "/api/greader.php/reader/api/0/search/items/ids?q=tide"} {
		if rec := d.Call(http.MethodGet, path, ""); rec.Code != http.StatusForbidden {
			t.Errorf("%s without an index: got %d %s", path, rec.Code, rec.Body)
		}
	}
}
