package community_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

// 19
func TestNewMembersSubmitCommentAndVoteOnlySoOften(t *testing.T) {
	onRedis(t, func(s *site) {
		n := s.submit("one")
		comments := fmt.Sprintf("/api/v1/entries/%d/comments", n.ID)
		s.send(201, "POST", comments, `{"body": "first"}`)
		s.newAccounts = feed.NewAccountLimits{Age: 72 * time.Hour, Submissions: 1, Comments: 1, Votes: 1}
		s.as("bob")
		s.submit("two")
		s.raw.Do("DEL", fmt.Sprintf("user:%d:submitted_recently", s.ids["bob"]))
		s.send(200, "POST", all, body("one")) // leads to the first, and does not count
		s.send(201, "POST", comments, `{"body": "second"}`)
		s.send(204, "PUT", comments+"/1/vote", `{"vote": "up"}`)
		for _, c := range []struct{ method, path, body, because string }{
			{"POST", all, body("three"), "younger than 3 days can submit once in a day"},
			{"POST", comments, `{"body": "third"}`, "can comment once in an hour"},
			{"PUT", one(n.ID) + "/vote", `{"vote": "up"}`, "can vote once in an hour"},
			{"PUT", comments + "/1/vote", `{"vote": "up"}`, "can vote once in an hour"},
		} {
			rec := s.Call(c.method, c.path, c.body)
			if rec.Code != 429 || !strings.Contains(rec.Body.String(), c.because) || rec.Header().Get("Retry-After") == "" ||
				rec.Header().Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s %s: %d %v %s", c.method, c.path, rec.Code, rec.Header(), rec.Body)
			}
		}
		bob := webtest.NewBrowser(t, s.Desk)
		for path, form := range map[string]url.Values{
			"/submit":                               {"title": {"three"}, "url": {"https://a.example/three"}},
			fmt.Sprintf("/news/%d/comments", n.ID):  {"body": {"third"}},
			fmt.Sprintf("/news/%d/vote", n.ID):      {"vote": {"up"}},
			fmt.Sprintf("/comment/%d/1/vote", n.ID): {"vote": {"up"}},
		} {
			rec := bob.Send("POST", "/community"+path, form)
			if text := rec.Body.String(); rec.Code != 429 || !strings.Contains(text, "younger than 3 days can ") || !strings.Contains(text, "Try again in ") {
				t.Errorf("%s got %d: %s", path, rec.Code, text)
			}
		}
		if n := testutil.ToFloat64(s.refused.WithLabelValues("limit")); n != 8 {
			t.Errorf("%v refusals were counted", n)
		}
		s.as("eve") // an editor
		for range 2 {
			s.send(201, "POST", comments, `{"body": "third"}`)
		}
	})
}
