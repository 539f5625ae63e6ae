package lamernews_test

import (
	"testing"

	"github.com/feedwire/feedwire/publish/blocklist"
)

// 19
func TestCallsRefuseBlockedWordsAndDomains(t *testing.T) {
	s := newSite(t)
	root := s.admin()
	ann := s.member("ann")
	n := ann.submit("one")
	c := ann.comment(n, "-1", "first")
	s.blocked = *blocklist.New([]string{"casino"}, []string{"spam.example"})
	s.Raw.Do("DEL", "user:2:submitted_recently")
	const word, domain = `the word "casino" is blocked`, `the domain "spam.example" is blocked`
	ann.refuses(word, "submit", "news_id", "-1", "title", "Casino", "url", "https://a.example/2", "text", "")
	ann.refuses(domain, "submit", "news_id", n, "title", "one", "url", "https://www.spam.example/", "text", "")
	ann.refuses(word, "postcomment", "news_id", n, "comment_id", "-1", "parent_id", "-1", "comment", "casino")
	ann.refuses(domain, "postcomment", "news_id", n, "comment_id", c, "parent_id", "-1", "comment", "https://spam.example")
	ann.refuses(word, "updateprofile", "about", "My casino", "email", "", "password", "other words are fine")
	ann.post("updateprofile", "about", "I like cranes", "email", "", "password", "") // with the old session
	root.comment(n, "-1", "casino")                                                  // moderators can
}
