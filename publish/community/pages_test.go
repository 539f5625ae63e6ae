package community_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// page returns a page of the site. It fails the test if the status is not 200.
func (s *site) page(path string) string {
	s.t.Helper()
	return s.send(200, "GET", "/community"+path, "")
}

// sends sends a form and returns the page that it leads to.
func (s *site) sends(path string, form url.Values) string {
	s.t.Helper()
	rec := s.Call("POST", "/community"+path, form.Encode())
	if rec.Code != http.StatusSeeOther {
		s.t.Fatalf("POST %s: %d %s", path, rec.Code, rec.Body)
	}
	to, _, _ := strings.Cut(rec.Header().Get("Location"), "#")
	return s.send(200, "GET", to, "")
}

// shows fails the test unless a page has texts, and none of those that begin with "!".
func (s *site) shows(page string, texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		if text, not := strings.CutPrefix(text, "!"); strings.Contains(page, text) == not {
			s.t.Errorf("whether %q is on the page is %t: %s", text, !not, page)
		}
	}
}

// 003-24, 003-28, 003-33, 003-34: what a new member does, without JavaScript.
func TestMembersUseTheSiteByForms(t *testing.T) {
	onRedis(t, func(s *site) {
		s.title = "A harbour &   its\ncranes"
		s.shows(s.send(200, "POST", "/community/submit", url.Values{"url": {"https://a.example/one"}, "fetch": {"1"}}.Encode()),
			`value="A harbour &amp;   its`, `value="https://a.example/one"`)
		s.titleErr = errors.New("dial tcp 10.0.0.1:80: refused")
		s.shows(s.send(422, "POST", "/community/submit", url.Values{"url": {"https://a.example/one"}, "fetch": {"1"}}.Encode()),
			"The title could not be read", `value="https://a.example/one"`, "!10.0.0.1")
		s.shows(s.page("/submit?t=T&u=https%3A%2F%2Fa.example%2F"), `value="T"`, `value="https://a.example/"`)
		s.shows(s.send(422, "POST", "/community/submit", "title=Kept&url=ftp://x"), `value="Kept"`, "absolute http or https URL")
		page := s.sends("/submit", url.Values{"title": {"One"}, "url": {"https://a.example/one"}})
		s.shows(page, "in the list of new submissions", `href="https://a.example/one"`, "1 point<", "Edit", "Remove from saved")
		s.shows(s.sends("/submit", url.Values{"title": {"Again"}, "url": {"https://a.example/one"}}), "was submitted before")
		s.shows(s.send(429, "POST", "/community/submit", "title=Two&text=Why"), "wait", ">Why<")
		s.shows(s.page("/saved"), ">One<")
		s.shows(s.sends("/editnews/1", url.Values{"title": {"Uno"}, "url": {"https://a.example/uno"}}), "The change is saved", ">Uno<")
		s.as("root")
		s.sends("/submit", url.Values{"title": {"Question"}, "text": {"Why `x`?"}})
		s.shows(s.page("/editnews/2"), "Why `x`?</textarea>")
		s.sends("/news/2/delete", nil)
		s.as("")
		s.shows(s.page("/latest"), `href="/login?next=%2Fcommunity%2Flatest" rel="nofollow" aria-label="Sign in to vote up: Uno"`)
		s.shows(s.page("/user/ann"), `href="/login?next=%2Fcommunity%2Fuser%2Fann" rel="nofollow" aria-label="Sign in to vote up: Uno"`)

		s.as("bob")
		s.shows(s.page(""), ">Uno<", `name="vote" value="up"`)
		s.shows(s.sends("/news/1/vote", url.Values{"vote": {"up"}, "back": {"/community/latest"}}), "Your vote counts", "2 points")
		s.shows(s.sends("/news/1/unsave", nil), "no longer saved", "Save</button>")
		s.shows(s.page("/saved"), "saved nothing yet")
		s.shows(s.sends("/news/1/save", nil), "The submission is saved")
		s.shows(s.sends("/news/1/comments", url.Values{"body": {"First `x`"}}), "Your comment is published", "First <code>x</code>", "1 comment<")
		s.shows(s.send(422, "POST", "/community/news/1/comments", "body=+"), "1 to 4096 visible characters")

		s.as("ann")
		s.shows(s.sends("/comment/1/1/vote", url.Values{"vote": {"up"}}), "Your vote counts", "2 points")
		s.shows(s.page("/reply/1/1"), "Reply to bob", "First <code>x</code>")
		s.shows(s.sends("/news/1/comments", url.Values{"body": {"Answer"}, "parent_id": {"1"}}), "Answer")

		s.as("bob")
		s.shows(s.page("/latest"), `class="count">1<`)
		s.shows(s.page("/replies"), "Answer", "<b>new</b>", `!class="count"`)
		s.shows(s.page("/replies"), "Answer", "!<b>new</b>")
		s.shows(s.page("/editcomment/1/1"), "First `x`</textarea>")
		s.shows(s.sends("/editcomment/1/1", url.Values{"body": {"Edited"}}), "The change is saved", "Edited")
		s.send(403, "GET", "/community/editcomment/1/2", "")
		s.send(403, "POST", "/community/comment/1/2/delete", "")
		s.send(403, "GET", "/community/editnews/1", "")
		s.shows(s.sends("/comment/1/1/delete", nil), "[deleted comment]", "Answer", "!Edited")
		s.shows(s.page("/comment/1/2"), "Answer", "Comment that this replies to")

		s.as("ann")
		s.shows(s.page("/usernews/ann"), ">Uno<")
		s.shows(s.page("/usercomments/ann"), "Answer")
		s.shows(s.page("/user/ann"), "20 November 2026", ">Uno<")
		s.Clock.Advance(15 * time.Minute)
		s.send(403, "GET", "/community/editnews/1", "")
		s.as("root")
		s.shows(s.sends("/news/1/delete", nil), "It is deleted", "!Uno")
		s.shows(s.page("/news/1"), "[deleted news]", "Answer", "!name=\"body\"")
		s.as("")
		s.shows(s.page("/about"), "Submit to Harbour Talk")
		s.send(404, "GET", "/community/news/3", "")
		s.send(422, "GET", "/community/latest?page=2", "")
	})
}

// 003-10: there are no pictures unless the operator wants them, and then no visitor learns an address or its hash from a page.
func TestPicturesOfMembersAreFetchedByTheDaemon(t *testing.T) {
	onRedis(t, func(s *site) {
		s.sends("/submit", url.Values{"title": {"One"}, "url": {"https://a.example/one"}})
		s.as("bob")
		s.sends("/news/1/comments", url.Values{"body": {"First"}})
		s.ok(s.ChangeProfile(s.t.Context(), s.ids["ann"], feed.ProfileChange{Email: new("Ann@Example.org")}))
		s.shows(s.page("/user/ann"), "!<img")
		s.send(404, "GET", "/community/avatar/ann", "")
		s.gravatars = true
		s.shows(s.page("/user/ann"), `<img class="avatar" src="/community/avatar/ann" alt=""`, "!438c4c7a", "!gravatar")
		s.shows(s.page("/user/bob"), "!<img")
		s.shows(s.page("/avatar/ann"), "https://www.gravatar.com/avatar/438c4c7afe600cdf1e455c369bec76dc970fc8ca463447c7b387a347f3c79331?s=160&d=identicon&r=g")
		for _, path := range []string{"bob", "eve", "nobody"} {
			s.send(404, "GET", "/community/avatar/"+path, "")
		}
	})
}

// 003-9, 003-10
func TestPageOfAMemberHasTheProfile(t *testing.T) {
	onRedis(t, func(s *site) {
		s.sends("/submit", url.Values{"title": {"One"}, "url": {"https://a.example/one"}})
		s.sends("/news/1/comments", url.Values{"body": {"First"}})
		s.ok(s.ChangeProfile(s.t.Context(), s.ids["ann"], feed.ProfileChange{About: new("<b>Cranes</b>\n\nhttps://cranes.example"), Email: new("ann@example.org")}))
		const about = "<p>&lt;b&gt;Cranes&lt;/b&gt;</p>"
		for who, sees := range map[string]string{"ann": "", "root": "", "bob": "!", "eve": "!", "": "!"} {
			s.as(who)
			s.shows(s.page("/user/ann"), about, `href="https://cranes.example" rel="nofollow ugc noopener"`, "<dt>Posts</dt><dd>1</dd>", "<dt>Comments</dt><dd>1</dd>", sees+"ann@example.org")
		}
	})
}

// Strangers do not learn from the pages of members which names exist.
func TestPagesOfMembersDoNotRevealAccounts(t *testing.T) {
	onRedis(t, func(s *site) {
		for _, path := range []string{"/user/", "/usernews/", "/usercomments/"} {
			s.as("")
			silent := s.send(404, "GET", "/community"+path+"bob", "")
			if unknown := s.send(404, "GET", "/community"+path+"bub", ""); strings.ReplaceAll(unknown, "bub", "bob") != silent {
				t.Errorf("%s differs:\n%s\n%s", path, silent, unknown)
			}
			s.as("bob")
			s.page(path + "bob")
			s.as("root")
			s.page(path + "bob")
		}
		s.as("bob")
		s.submit("one")
		s.as("")
		s.page("/user/bob")
	})
}

// 003-30: a page shows a part of a long or deep thread, and every comment is on some page.
func TestEveryCommentOfALongThreadIsOnAPage(t *testing.T) {
	onRedis(t, func(s *site) {
		s.submit("one")
		total := 0
		add := func(parent int64) int64 {
			total++
			s.Clock.Advance(time.Minute)
			id, err := s.AddComment(t.Context(), 1, s.ids["bob"], parent, fmt.Sprintf("word%d.", total))
			s.ok(err)
			return id
		}
		parent := int64(feed.NoParent)
		for range 20 { // deep
			parent = add(parent)
		}
		for range 130 { // long
			add(feed.NoParent)
		}
		wide := add(feed.NoParent)
		for range 120 {
			add(wide)
		}
		seen, pages := make(map[string]bool), map[string]bool{"/community/news/1": false}
		for len(pages) > 0 {
			for path := range pages {
				delete(pages, path)
				if seen[path] {
					continue
				}
				seen[path] = true
				page := s.send(200, "GET", path, "")
				if n := strings.Count(page, "<details"); n > 101 {
					t.Errorf("%s has %d comments", path, n)
				}
				if n := deepest(page); n > 8 {
					t.Errorf("%s has threads in %d others", path, n-1)
				}
				for _, word := range strings.Split(page, "<p>word")[1:] {
					seen["word"+strings.Split(word, ".")[0]] = true
				}
				for _, link := range strings.Split(page, `href="`)[1:] {
					to := strings.ReplaceAll(strings.Split(link, `"`)[0], "&amp;", "&")
					text := strings.Split(strings.SplitAfter(link, ">")[1], "<")[0]
					if strings.HasSuffix(text, "more replies") || strings.HasSuffix(text, "more reply") || text == "Next page" {
						pages[to] = true
					}
				}
			}
		}
		for i := 1; i <= total; i++ {
			if !seen[fmt.Sprint("word", i)] {
				t.Errorf("comment %d is on no page", i)
			}
		}
	})
}

// deepest returns how many threads of a page are in each other.
func deepest(page string) (most int) {
	open := 0
	for _, part := range strings.Split(page, "<ol")[1:] {
		open++
		most = max(most, open)
		open -= strings.Count(part, "</ol>")
	}
	return most
}
