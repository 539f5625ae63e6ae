package lists_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// submits makes a post of ann news.
func (s *site) submits(title string) *feed.Entry {
	s.t.Helper()
	_, _, err := s.AddSource(s.t.Context(), feed.Source{URL: feed.MemberURL(s.ann)})
	s.ok(err)
	s.Clock.Advance(time.Minute)
	e := s.save(feed.MemberURL(s.ann), title, s.Clock.Time)
	s.ok(s.Submit(s.t.Context(), e, &feed.Submission{Title: title, URL: "https://a.example/" + title}, true))
	return e
}

func TestSubmissionsAreLists(t *testing.T) {
	each(t, func(s *site) {
		s.Reload(core.Options{Community: true})
		var hidden int64
		for i := range 7 {
			e := s.submits(fmt.Sprint("news", i))
			if i == 3 {
				_, err := fmt.Sscan(e.Number(), &hidden)
				s.ok(err)
			}
		}
		_, err := s.ModerateNews(t.Context(), hidden, feed.Hidden, "") // not its entry: as the entry of a source
		s.ok(err)
		const want = "news6 1 up, news5 1 up, news4 1 up, news2 1 up, news1 1 up, news0 1 up"
		for _, list := range feed.NewsLists() {
			s.ok(s.RankNews(t.Context()))
			if got := s.titles(list.Name); got != want {
				t.Errorf("%s has %s", list.Name, got)
			}
			page := s.send(200, "GET", "/lists/"+list.Name, "")
			webtest.Contains(t, page, "<h1 dir=\"auto\">"+list.Title+"</h1>", "/lists/"+list.Name+".rss", "news6", "1 vote")
			if strings.Contains(page, "news3") || strings.Contains(page, `name="vote"`) {
				t.Errorf("%s shows a hidden submission, or votes without karma:\n%s", list.Name, page)
			}
			webtest.Contains(t, s.send(200, "GET", "/lists", ""), `<a href="/lists/`+list.Name+`" dir="auto">`+list.Title+"</a>")
			webtest.Contains(t, s.send(200, "GET", "/api/v1/lists", ""), `{"name":"`+list.Name+`","kind":"news","title":"`+list.Title+`"}`)
		}
		s.Reload(core.Options{})
		for _, path := range []string{"/lists/news.top", "/api/v1/lists/news.cron"} {
			s.send(404, "GET", path, "")
		}
	})
}
