package readers_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

func TestReadersVoteByForms(t *testing.T) {
	d := newDesk(t)
	d.send(201, "PUT", quiet, `{}`)
	path := d.write(feed.Entry{Title: "One"})
	old := d.write(feed.Entry{Title: "Old", Timestamp: d.Clock.Time.Add(-feed.VoteWindow - time.Second)})
	number := strings.TrimPrefix(path, "/read/entries/")
	b := d.browser()
	page := b.Get("/read", 200)
	if webtest.BallotOf(page, number).Votes != "0" || webtest.BallotOf(page, strings.TrimPrefix(old, "/read/entries/")).Votes != "" {
		t.Errorf("there are buttons to vote on an old entry, or none on a new one: %s", page)
	}
	for _, step := range []struct{ button, notice, votes, own string }{
		{"up", "Your vote counts.", "1", "up"}, {"up", "Your vote no longer counts.", "0", ""},
		{"down", "Your vote counts.", "-1", "down"}, {"up", "Your vote counts.", "1", "up"},
	} {
		page = b.PressVote(t, page, number, step.button, "/read")
		webtest.Contains(t, page, step.notice)
		if got := webtest.BallotOf(page, number); got.Votes != step.votes || got.Own != step.own {
			t.Errorf("after %s the page shows %+v, want %s votes and %q", step.button, got, step.votes, step.own)
		}
	}
	webtest.Contains(t, b.PressVote(t, b.Get(path, 200), number, "up", "/read"), "Your vote no longer counts.")
	removed := d.write(feed.Entry{Title: "Removed"})
	id := "Entry:" + strings.TrimPrefix(removed, "/read/entries/")
	_, err := d.TakeDownEntry(t.Context(), id)
	if err == nil {
		err = d.RemoveRanked(t.Context(), id)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, status := range map[string]int{path: 422, removed: 410, old: 409, "/read/entries/999": 404} {
		form := url.Values{"vote": {"up"}}
		if status == 422 {
			form.Set("vote", "sideways")
		}
		if rec := b.Send("POST", name+"/vote", form); rec.Code != status {
			t.Errorf("%s got %d, want %d", name, rec.Code, status)
		}
	}
	d.Clock.Advance(feed.VoteWindow + time.Second)
	if page := b.Get("/read", 200); strings.Contains(page, "/vote\"") {
		t.Error("voting has closed, and the page has buttons")
	}
}
