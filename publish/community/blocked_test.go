package community_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/feedwire/feedwire/publish/blocklist"
	"github.com/feedwire/feedwire/publish/web/webtest"
)

// 19
func TestBlockedWordsAndDomainsAreRefusedForMembers(t *testing.T) {
	onRedis(t, func(s *site) {
		n := s.submit("one")
		comments := fmt.Sprintf("/api/v1/entries/%d/comments", n.ID)
		s.send(201, "POST", comments, `{"body": "first"}`)
		s.blocked = *blocklist.New([]string{"casino"}, []string{"spam.example"})
		s.raw.Do("DEL", fmt.Sprintf("user:%d:submitted_recently", s.Visitor.Account.ID))
		refused := []struct{ method, path, body, because string }{
			{"POST", all, `{"title": "My Cásino", "url": "https://a.example/2"}`, "casino"},
			{"POST", all, `{"title": "x", "text": "the CASINO"}`, "casino"},
			{"POST", all, `{"title": "x", "url": "https://www.spam.example:8080/"}`, "spam.example"},
			{"POST", all, `{"title": "x", "text": "see (HTTPS://me@spam.example.)"}`, "spam.example"},
			{"POST", all, `{"title": "http://spam.example", "url": "https://a.example/2"}`, "spam.example"},
			{"PUT", one(n.ID), `{"title": "casino", "url": "https://a.example/one"}`, "casino"},
			{"PUT", one(n.ID), `{"title": "one", "url": "https://spam.example/"}`, "spam.example"},
			{"POST", comments, `{"body": "casino"}`, "casino"},
			{"PUT", comments + "/1", `{"body": "https://spam.example"}`, "spam.example"},
		}
		for _, c := range refused {
			if text := s.send(400, c.method, c.path, c.body); !strings.Contains(text, c.because) || !strings.Contains(text, "is blocked") {
				t.Errorf("%s %s got %s", c.method, c.body, text)
			}
		}
		if words, domains := testutil.ToFloat64(s.refused.WithLabelValues("word")), testutil.ToFloat64(s.refused.WithLabelValues("domain")); words != 4 || domains != 5 {
			t.Errorf("%v words and %v domains were counted", words, domains)
		}
		s.send(201, "POST", all, `{"title": "casinos", "url": "https://notspam.example/"}`)
		s.as("eve") // an editor
		s.send(201, "POST", comments, `{"body": "casino: https://spam.example"}`)
	})
}

// 19
func TestFormsRefuseBlockedWords(t *testing.T) {
	onRedis(t, func(s *site) {
		n := s.submit("one")
		comments := fmt.Sprintf("/api/v1/entries/%d/comments", n.ID)
		s.send(201, "POST", comments, `{"body": "first"}`)
		s.blocked = *blocklist.New([]string{"casino"}, nil)
		ann := webtest.NewBrowser(t, s.Desk)
		for path, form := range map[string]url.Values{
			"/submit":                              {"title": {"casino"}, "url": {"https://a.example/2"}},
			fmt.Sprintf("/editnews/%d", n.ID):      {"title": {"casino"}, "url": {"https://a.example/one"}},
			fmt.Sprintf("/news/%d/comments", n.ID): {"body": {"casino"}},
			fmt.Sprintf("/editcomment/%d/1", n.ID): {"body": {"casino"}},
		} {
			if rec := ann.Send("POST", "/community"+path, form); rec.Code != 422 || !strings.Contains(rec.Body.String(), "is blocked") {
				t.Errorf("%s got %d", path, rec.Code)
			}
		}
	})
}
