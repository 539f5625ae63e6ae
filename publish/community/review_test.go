package community_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

// 19: what waits is seen by its author and moderators only, who approve and reject it without JavaScript.
func TestModeratorsReviewSubmissionsOnPages(t *testing.T) {
	onRedis(t, func(s *site) {
		s.review, s.newAccounts = feed.ReviewNew, feed.NewAccountLimits{Age: time.Hour}
		s.as("eve")
		s.submit("zero") // moderators are not reviewed
		s.as("ann")
		page := s.sends("/submit", url.Values{"title": {"one"}, "url": {"https://a.example/one"}})
		s.shows(page, "waits until a moderator approves it", "Until then only you see it", "Edit", "!<textarea")
		s.shows(s.page("/saved"), ">one<", `class="tag">held`)
		s.send(409, "POST", "/api/v1/entries/2/comments", `{"body": "mine"}`)
		public := []string{"", "/latest", "/rss", "/rss/top"}
		for _, name := range []string{"bob", ""} {
			s.as(name)
			for _, path := range []string{"/news/2", "/news/2/rss", "/user/ann", "/usernews/ann", "/report/2"} {
				if rec := s.Call("GET", "/community"+path, ""); rec.Code == 200 {
					t.Errorf("%q reads %s: %s", name, path, rec.Body)
				}
			}
			for _, path := range public {
				if text := s.send(200, "GET", "/community"+path, ""); strings.Contains(text, "a.example/one") || !strings.Contains(text, "zero") {
					t.Errorf("%q reads %s: %s", name, path, text)
				}
			}
			if text := s.send(200, "GET", all, ""); strings.Contains(text, "a.example/one") {
				t.Errorf("%q reads %s", name, text)
			}
			s.send(404, "GET", one(2), "")
			s.send(404, "GET", "/api/v1/entries/2/comments", "")
		}
		s.as("bob")
		s.send(404, "PUT", one(2)+"/vote", `{"vote": "up"}`)
		s.send(404, "POST", "/api/v1/entries/2/comments", `{"body": "B"}`)
		s.send(403, "GET", "/community/moderation/review", "")
		s.send(403, "POST", "/community/moderation/approve/2", "")

		s.as("eve")
		page = s.page("/moderation/review")
		s.shows(page, "one", "1 karma", "Approve", "Reject", `class="count">1<span class="hidden"> submissions to review`, "!Dismiss")
		s.send(422, "POST", "/community/moderation/reject/2", "reason=")
		page = s.sends("/moderation/reject/2", url.Values{"reason": {"An <ad>"}})
		s.shows(page, "It is rejected. Its author sees it with the reason")
		undo := strings.TrimPrefix(webtest.UndoPath(t, page), "/community")
		s.as("ann")
		s.shows(s.page("/news/2"), "has rejected this", "An &lt;ad&gt;", "!Edit")
		if text := s.send(200, "GET", one(2), ""); !strings.Contains(text, `"state":"rejected","reason":"An \u003cad\u003e"`) {
			t.Errorf("its author reads %s", text)
		}
		s.as("bob")
		s.send(404, "GET", "/community/news/2", "")
		s.as("eve")
		s.sends(undo, nil)
		s.Clock.Advance(2 * time.Hour)
		page = s.sends("/moderation/selected", url.Values{"object": {"2", "9"}, "do": {"approve"}, "back": {"/community/moderation/review"}})
		s.shows(page, "The decision is made, except where it was not possible. These submissions remain", "No submissions wait for a decision", "!submissions to review")
		s.shows(s.page("/moderation/decisions"), "approved <a", "rejected <a", "<q dir=\"auto\">An &lt;ad&gt;</q>")
		s.shows(s.send(200, "GET", "/community/moderation/decisions.csv", ""), "held,visible", "held,rejected,An <ad>")
		s.as("bob")
		for _, path := range public {
			s.shows(s.send(200, "GET", "/community"+path, ""), "one")
		}
		s.send(200, "PUT", one(2)+"/vote", `{"vote": "up"}`)
	})
}

// 19: what a moderator approved cannot be exchanged.
func TestEditOfAReviewedMemberWaits(t *testing.T) {
	onRedis(t, func(s *site) {
		n := s.submit("one")
		s.review = feed.ReviewAll
		s.shows(s.sends(fmt.Sprintf("/editnews/%d", n.ID), url.Values{"title": {"other"}, "url": {"https://a.example/other"}}), "until a moderator approves it")
		s.as("bob")
		s.send(404, "GET", one(n.ID), "")
		found, err := s.ListedByID(t.Context(), []string{n.EntryID()})
		if e := found[n.EntryID()]; err != nil || !e.Hidden || e.Title != "other" {
			t.Errorf("its entry is %+v, %v", e, err)
		}
		s.as("eve")
		s.sends(fmt.Sprintf("/moderation/approve/%d", n.ID), nil)
		s.as("bob")
		s.send(200, "GET", one(n.ID), "")
	})
}

// 19: a repetition of the request completes what is held, although submissions are no longer reviewed.
func TestRepetitionOfAHeldSubmissionIsHeld(t *testing.T) {
	onRedis(t, func(s *site) {
		s.review = feed.ReviewAll
		s.before = func() { panic("killed") }
		func() {
			defer func() { _ = recover() }()
			s.Call("POST", all, body("one"), "Idempotency-Key", "k")
		}()
		s.before, s.review = func() {}, feed.ReviewNone
		for _, key := range s.raw.Keys("answer:*") { // the claim of the request ends
			s.raw.Do("DEL", key)
		}
		s.send(201, "POST", all, body("one"), "Idempotency-Key", "k")
		s.as("bob")
		s.send(404, "GET", one(1), "")
	})
}
