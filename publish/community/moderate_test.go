package community_test

import (
	"encoding/csv"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

// wantReports fails the test unless the header of a moderator counts so many open reports.
func (s *site) wantReports(page, count string) {
	s.t.Helper()
	s.shows(page, `Moderation`)
	if count == "" {
		s.shows(page, "!open reports")
		return
	}
	s.shows(page, `class="count">`+count+`<span class="hidden"> open reports`)
}

// 003-33: members report, and moderators decide, without JavaScript.
func TestModeratorsDecideOnPages(t *testing.T) {
	onRedis(t, func(s *site) {
		s.submit("one")
		s.send(201, "POST", "/api/v1/entries/1/comments", `{"body": "Rude"}`)
		s.as("bob")
		s.send(201, "POST", "/api/v1/entries/1/comments", `{"body": "Calm"}`)
		s.shows(s.page("/news/1"), `href="/community/report/1/1"`, `href="/community/report/1"`, `!href="/community/report/1/2"`, "!Hide", "!Moderation")
		s.shows(s.page("/report/1/1"), "Rude", "Insults, threats or hatred", "You can report it once")
		s.shows(s.send(422, "POST", "/community/report/1/1", "reason=other&note=+"), "ay what is wrong", `value="other" required checked`)
		s.send(422, "POST", "/community/report/1/1", "reason=because")
		s.shows(s.sends("/report/1/1", url.Values{"reason": {"abuse"}, "note": {"Read <it>"}}), "A moderator reads your report")
		s.shows(s.page("/report/1/1"), "You have reported this", "!<textarea")
		s.sends("/report/1", url.Values{"reason": {"spam"}})
		for _, path := range []string{"", "/bans", "/decisions", "/decisions.csv", "/decisions.json"} {
			s.send(403, "GET", "/community/moderation"+path, "")
		}
		s.send(403, "POST", "/community/moderation/hide/1-1", "")

		s.as("eve")
		s.wantReports(s.page("/latest"), "2")
		queue := s.page("/moderation")
		s.shows(queue, "abuse: Read &lt;it&gt;", "Rude", "1 karma", "<b>1 report</b>", `formaction="/community/moderation/hide/1-1"`, "Ban ann", "https://a.example/one")
		s.shows(s.page("/moderation?order=most"), "Rude", "Most reported first</b>")
		s.send(422, "GET", "/community/moderation?order=x", "")
		page := s.sends("/moderation/hide/1-1", url.Values{"back": {"/community/moderation"}})
		s.shows(page, "Only its author sees it", "!Rude")
		undo := strings.TrimPrefix(webtest.UndoPath(t, page), "/community")
		s.shows(s.page("/news/1"), "Rude", `class="tag">hidden`, "Restore: comment 1 by ann")
		s.as("bob")
		s.shows(s.page("/news/1"), "!Rude")
		s.as("ann")
		s.shows(s.page("/news/1"), "Rude", "!hidden</span>", "!Restore")

		s.as("eve")
		s.wantReports(s.sends(undo, nil), "2")
		s.as("bob")
		s.shows(s.page("/news/1"), "Rude")
		s.as("eve")
		page = s.sends("/moderation/selected", url.Values{"object": {"1", "1-1", "9"}, "do": {"remove"}, "reason": {"Both are rude"}})
		s.wantReports(page, "")
		s.shows(page, "The decision about 2 reports is made", "No reports wait")
		s.as("ann")
		s.shows(s.page("/news/1"), "[deleted news]", "!Rude")
		s.shows(s.page("/latest"), "Nothing was submitted yet")

		s.as("eve")
		s.shows(s.page("/news/1"), ">one<", "Restore: one", "has removed this")
		s.shows(s.sends("/moderation/restore/1", nil), "Everyone sees it")
		s.shows(s.sends("/moderation/dismiss/1-1", nil), "The report is closed")
		s.shows(s.sends("/moderation/lock/1", url.Values{"back": {"/community/news/1"}}), "The discussion is locked", `formaction="/community/moderation/unlock/1"`)
		page = s.sends("/moderation/ban/ann", url.Values{"reason": {"=Rude"}, "back": {"/community/user/ann"}})
		s.shows(page, "This member is banned", "End ban")
		s.shows(s.page("/moderation/bans"), "ann", "End ban")
		s.shows(s.page("/user/root"), "!Ban</button>")
		s.send(409, "POST", "/community/moderation/ban/root", "")
		s.shows(s.page("/moderation/decisions"), "<b>eve</b> hid <a href=\"/community/comment/1/1\">comment 1-1</a>", "<q dir=\"auto\">abuse</q>", "restored", "undone",
			"Both are rude", "banned <a href=\"/community/user/ann\">ann</a>", "locked")
		rows, err := csv.NewReader(strings.NewReader(s.page("/moderation/decisions.csv"))).ReadAll()
		if err != nil || len(rows) != 8 || rows[1][2] != "eve" || rows[1][7] != "'=Rude" || rows[4][5] != "visible" {
			t.Errorf("the export is %q, %v", rows, err)
		}
		s.shows(s.page("/moderation/decisions.json"), `"reason":"=Rude"`, `!192.0.2.9`)
		s.shows(s.sends("/moderation/unban/ann", nil), "The ban has ended", "No reports wait")
		s.as("root")
		s.shows(s.page("/user/eve"), "!Ban</button>")
	})
}

// wantEntry fails the test unless the entry of submission 1 is in the lists of its source and of votes, and in the timeline of bob, as wanted, and
// always in the lists of ann.
func (s *site) wantEntry(listed bool) {
	s.t.Helper()
	ctx, ann, bob := s.t.Context(), s.ids["ann"], s.ids["bob"]
	has := func(entries []feed.Entry) bool {
		return slices.ContainsFunc(entries, func(e feed.Entry) bool { return e.Number() == "1" })
	}
	source, _, err := s.EntriesPage(ctx, feed.MemberURL(ann), feed.Cursor{}, 10)
	s.ok(err)
	ranked, err := s.PublicEntries(ctx, "score", feed.Cursor{}, 10)
	s.ok(err)
	timeline, err := s.Timeline(ctx, bob, feed.Cursor{}, 10)
	s.ok(err)
	if has(source) != listed || has(ranked.Entries) != listed || has(timeline.Entries) != listed {
		s.t.Errorf("whether others read the entry is %v in its source, %v by votes and %v in a timeline, want %v", has(source), has(ranked.Entries), has(timeline.Entries), listed)
	}
	posts, err := s.Posts(ctx, ann, feed.Cursor{}, 10)
	s.ok(err)
	saved, err := s.Saved(ctx, ann, feed.Cursor{}, 10)
	s.ok(err)
	if !has(posts.Entries) || !has(saved.Entries) {
		s.t.Errorf("whether the author reads the entry is %v in its posts, %v in what it saved", has(posts.Entries), has(saved.Entries))
	}
}

// A hidden submission looks to its author as before, and does not exist for others.
func TestHiddenSubmissionExistsForItsAuthorOnly(t *testing.T) {
	onRedis(t, func(s *site) {
		s.submit("one")
		s.send(201, "POST", "/api/v1/entries/1/comments", `{"body": "Own words"}`)
		doors := []string{
			"/community", "/community/latest", "/community/news/1", "/community/comment/1/1", "/community/usernews/ann", "/community/usercomments/ann",
			"/community/user/ann", "/api/v1/submissions", "/api/v1/submissions?order=top", one(1), "/api/v1/entries/1/comments",
		}
		before := make(map[string]string)
		for _, path := range doors {
			before[path] = s.send(200, "GET", path, "")
		}
		_, err := s.Newsroom.Follow(s.t.Context(), s.ids["bob"], feed.Follow{FeedURL: feed.MemberURL(s.ids["ann"])})
		s.ok(err)
		s.wantEntry(true)
		s.as("eve")
		s.sends("/moderation/hide/1", nil)
		s.wantEntry(false)
		for _, who := range []string{"", "bob"} {
			s.as(who)
			for _, path := range doors {
				if text := s.Call("GET", path, "").Body.String(); strings.Contains(text, "a.example/one") || strings.Contains(text, "Own words") {
					t.Errorf("%q reads %s: %s", who, path, text)
				}
			}
		}
		s.send(404, "GET", one(1), "")
		s.send(404, "PUT", one(1)+"/vote", `{"vote": "up"}`)
		s.send(404, "POST", "/api/v1/entries/1/comments", `{"body": "x"}`)
		s.send(404, "POST", "/api/v1/entries/1/comments", `{"body": "x", "parent_id": 1}`)
		s.as("ann")
		for _, path := range doors {
			if text := s.send(200, "GET", path, ""); text != before[path] {
				t.Errorf("%s was %s and is %s", path, before[path], text)
			}
		}
		s.ok(s.SweepNews(s.t.Context())) // it exists
		s.send(200, "PUT", one(1), `{"title": "Uno", "url": "https://a.example/uno"}`)
		s.wantEntry(false)
		s.as("bob")
		s.send(201, "POST", all, body("uno")) // is no duplicate
		s.as("eve")
		s.sends("/moderation/restore/1", nil)
		s.wantEntry(true)
	})
}

func TestModeratorsSeeWhoInvitedWhom(t *testing.T) {
	onRedis(t, func(s *site) {
		for _, who := range []string{"amy", "ben", "cleo"} {
			by, err := s.Account(t.Context(), map[string]string{"amy": "root", "ben": "amy", "cleo": "amy"}[who])
			s.ok(err)
			i := feed.NewInvitation("of " + who)
			i.Inviter, i.Created, i.Expires = by.ID, s.Now(), s.Now().Add(feed.InvitationLife)
			s.ok(s.AddInvitation(t.Context(), i))
			s.ok(s.SignUp(t.Context(), feed.SignUp{Name: who, Invitation: i.Sum}))
		}
		_, err := s.RemoveAccount(t.Context(), "cleo")
		s.ok(err)
		_, err = s.Community.Ban(t.Context(), s.ids["root"]+1)
		s.ok(err)
		s.send(403, "GET", "/community/moderation/invitations/amy", "")
		s.shows(s.page("/user/ann"), "!/moderation/invitations/")
		s.as("eve")
		s.shows(s.page("/user/amy"), `href="/community/moderation/invitations/amy"`)
		s.shows(s.page("/moderation/invitations/amy"), `Invitations of <a href="/community/user/amy">amy</a>`, `<a href="/community/moderation/invitations/root">root</a>`,
			`<a href="/community/moderation/invitations/ben">ben</a>`, "removed account ", "1 karma, since")
		s.shows(s.page("/moderation/invitations/ann"), "No one is known to have invited ann", "ann has invited no one")
		s.send(404, "GET", "/community/moderation/invitations/cleo", "")
	})
}
