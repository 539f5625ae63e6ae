package community_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

// Defects (d) and (e): comments have ids and an order, and deleted ones no body.
func TestA6CommentsByTheAPI(t *testing.T) {
	each(t, func(s *site) {
		n := s.submit("one").ID
		path := fmt.Sprintf("/api/v1/entries/%d/comments", n)
		s.as("bob")
		id := webtest.Read[feed.Comment](t, s.Call("POST", path, `{"body": "First"}`)).ID
		one := fmt.Sprint(path, "/", id)
		s.as("ann")
		s.send(201, "POST", path, fmt.Sprintf(`{"body": "Reply", "parent_id": %d}`, id))
		s.send(204, "PUT", one+"/vote", `{"vote": "up"}`)
		s.send(204, "PUT", one+"/vote", `{"vote": "up"}`)
		s.send(409, "PUT", one+"/vote", `{"vote": "down"}`)
		page := webtest.Get[feed.Page[feed.Comment]](t, s.Desk, path)
		if c := page.Items[0]; len(page.Items) != 1 || c.ID != id || c.Up != 2 || c.Vote != feed.VoteUp || c.Author != "bob" || c.Replies[0].Author != "ann" {
			t.Errorf("the thread is %+v", page)
		}
		s.as("bob")
		if m := webtest.Get[feed.Member](t, s.Desk, "/api/v1/me/community"); m.Replies != 1 {
			t.Errorf("bob has %+v", m)
		}
		s.send(204, "PUT", "/api/v1/me/community/seen", "")
		if m := webtest.Get[feed.Member](t, s.Desk, "/api/v1/me/community"); m.Replies != 0 {
			t.Errorf("bob has %+v", m)
		}
		s.send(204, "PUT", one, `{"body": "Edited"}`)
		for _, body := range []string{`{}`, `{"body": " "}`, `{"body": "x", "parent_id": 0}`, `{"body": "x", "vote": 1}`} { // defect (n)
			s.send(400, "POST", path, body)
		}
		s.send(404, "POST", path, `{"body": "x", "parent_id": 99}`)
		s.send(404, "POST", "/api/v1/entries/999/comments", `{"body": "x"}`)
		s.send(404, "DELETE", path+"/nextid", "")
		s.as("ann")
		s.send(403, "PUT", one, `{"body": "Mine"}`)
		s.send(403, "DELETE", one, "")
		s.Clock.Advance(2 * time.Hour)
		s.as("bob")
		s.send(409, "PUT", one, `{"body": "Late"}`)
		s.as("root")
		s.send(204, "DELETE", one, "")
		s.as("")
		s.send(401, "POST", path, `{"body": "x"}`)
		page = webtest.Get[feed.Page[feed.Comment]](t, s.Desk, path)
		if c := page.Items[0]; !c.Deleted || c.Body != "" || c.AuthorID != 0 || len(c.Replies) != 1 {
			t.Errorf("the thread is %+v", page)
		}
		if shown := webtest.Get[feed.News](t, s.Desk, fmt.Sprint("/api/v1/submissions/", n)); shown.Comments != 1 {
			t.Errorf("the submission is %+v", shown)
		}
	})
}
