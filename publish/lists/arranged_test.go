package lists_test

import (
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestEditorsArrangeListsByTheAPI(t *testing.T) {
	each(t, func(s *site) {
		a, b := s.save(storetest.Harbour, "a", s.Clock.Time), s.save(storetest.Harbour, "b", s.Clock.Time)
		const list = "/api/v1/lists/front"
		s.send(403, "PUT", list, `{"title": "Front page"}`)
		s.as(feed.RoleEditor)
		s.send(200, "PUT", list, `{"title": "Front page"}`)
		s.send(204, "PUT", list+"/entries/"+a.Number(), `{}`)
		s.send(204, "PUT", list+"/entries/"+b.Number(), `{}`)
		s.send(204, "PUT", list+"/entries/"+b.Number(), `{}`)
		want := func(what, order string) {
			t.Helper()
			if got := strings.ReplaceAll(s.titles("front"), " 0 none", ""); got != order {
				t.Errorf("%s: the list is %q, want %q", what, got, order)
			}
		}
		want("added", "b, a")
		seen := s.Call("GET", list, "").Header().Get("ETag")
		s.send(204, "PUT", list+"/entries/"+a.Number(), `{"before": "`+b.Number()+`"}`)
		want("moved", "a, b")
		for _, method := range []string{"PUT", "DELETE"} {
			for _, path := range []string{list, list + "/entries/" + a.Number()} {
				body := map[string]string{"PUT": "{}"}[method]
				if rec := s.Call(method, path, body, "If-Match", seen); rec.Code != 412 {
					t.Errorf("%s %s of a version that was replaced: %d", method, path, rec.Code)
				}
			}
		}
		if rec := s.Call("PUT", list, `{"title": "Again"}`, "If-None-Match", "*"); rec.Code != 412 {
			t.Errorf("a list was created twice: %d", rec.Code)
		}
		s.lists.SetRules(feed.RuledGroups{{Name: "sea"}})
		s.send(409, "PUT", "/api/v1/lists/sea", `{}`)
		s.send(400, "PUT", "/api/v1/lists/score", `{}`)
		s.send(404, "PUT", "/api/v1/lists/none/entries/"+a.Number(), `{}`)
		s.send(204, "DELETE", list+"/entries/"+a.Number(), "")
		want("removed", "b")
		s.send(204, "DELETE", list, "")
		s.send(404, "DELETE", list, "")
	})
}
