package lamernews_test

import (
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// 19
func TestCallsOfNewMembersAreLimited(t *testing.T) {
	s := newSite(t)
	s.admin()
	ann, bob := s.member("ann"), s.member("bob")
	n := ann.submit("one")
	c := ann.comment(n, "-1", "first")
	s.newAccounts = feed.NewAccountLimits{Age: 72 * time.Hour, Submissions: 1, Comments: 1, Votes: 1}
	bob.submit("two")
	bob.comment(n, "-1", "second")
	bob.post("votecomment", "comment_id", n+"-"+c, "vote_type", "up")
	s.Raw.Do("DEL", "user:3:submitted_recently")
	const wait = "try again in "
	for because, call := range map[string][]string{
		"can submit once in a day. " + wait:    {"submit", "news_id", "-1", "title", "three", "url", "https://a.example/three", "text", ""},
		"can comment once in an hour. " + wait: {"postcomment", "news_id", n, "comment_id", "-1", "parent_id", "-1", "comment", "third"},
		"can vote once in an hour. " + wait:    {"votenews", "news_id", n, "vote_type", "up"},
	} {
		bob.refuses(because, call[0], call[1:]...)
	}
	bob.refuses("can vote once in an hour. "+wait, "votecomment", "comment_id", n+"-"+c, "vote_type", "up")
}
