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
	b := d.browser()
	// press returns the page after the button for up or down was pressed, which sets a vote.
	press := func(page, button string) string {
		t.Helper()
		_, form, found := strings.Cut(page, `action="`+path+`/vote"`)
		form, _, _ = strings.Cut(form, "</form>")
		before, _, pressed := strings.Cut(form, `aria-label="Vote `+button+`"`)
		i := strings.LastIndex(before, `value="`)
		if !found || !pressed || i < 0 {
			t.Fatalf("there is no button to vote %s: %s", button, page)
		}
		value, _, _ := strings.Cut(before[i+len(`value="`):], `"`)
		return b.Follow(path+"/vote", url.Values{"vote": {value}, "back": {"/read"}})
	}
	page := b.Get("/read", 200)
	if strings.Contains(page, old+"/vote") {
		t.Error("there are buttons to vote on an old entry")
	}
	for _, step := range []struct{ button, notice, count, on string }{
		{"up", "Your vote counts.", ">1<", "up"}, {"up", "Your vote no longer counts.", ">0<", ""},
		{"down", "Your vote counts.", ">-1<", "down"}, {"up", "Your vote counts.", ">1<", "up"},
	} {
		page = press(page, step.button)
		webtest.Contains(t, page, step.notice, "<span>"+strings.Trim(step.count, "><")+"</span>")
		for _, button := range []string{"up", "down"} {
			if on := strings.Contains(page, `aria-label="Vote `+button+`" aria-pressed="true"`); on != (button == step.on) {
				t.Errorf("after %s the button for %s is pressed: %t", step.button, button, on)
			}
		}
	}
	webtest.Contains(t, press(b.Get(path, 200), "up"), "Your vote no longer counts.")
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
	if page := b.Get("/read", 200); strings.Contains(page, "/vote") {
		t.Error("voting has closed, and the page has buttons")
	}
}
