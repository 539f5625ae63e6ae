package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

// copiedRoom has a page and a route of the API whose responses are copied.
type copiedRoom struct {
	pages *web.Pages
	text  string
	err   error
}

func (c *copiedRoom) Site() web.Site {
	page := func(w http.ResponseWriter, r *http.Request) error {
		if c.err != nil {
			return c.err
		}
		return c.pages.Render(w, r, "page", &struct {
			web.Frame
			Text string
		}{Text: c.text})
	}
	api := func(*http.Request) (string, error) { return c.text, c.err }
	return web.Site{Routes: []web.Route{
		{Pattern: "GET /page", Scope: web.SignedIn, Copied: true, Serve: page},
		{Pattern: "GET /api/v1/text", Query: []string{"cursor", "user"}, Scope: web.SignedIn, Copied: true, Serve: web.Reply(http.StatusOK, api)},
	}}
}

func TestLastResponseIsRepeatedWhileTheStoreIsUnavailable(t *testing.T) {
	now := webtest.Noon()
	d := webtest.New(func() time.Time { return now })
	room := &copiedRoom{text: "first"}
	room.pages = d.Pages(fstest.MapFS{"templates/page.html": {Data: []byte(`{{define "page"}}<main id="main">{{.Text}}</main>{{end}}`)}}, nil)
	d.Mount(room)
	as := func(account int64) {
		d.Visitor = feed.Visitor{Name: fmt.Sprint(account), Account: feed.Account{ID: account}}
	}
	// want fails the test if a response does not have a text, or another age. Empty: it must be 503.
	want := func(path, text, age string) {
		t.Helper()
		w := d.Call(http.MethodGet, path, "")
		stale := map[bool]string{true: "1"}[age != ""]
		switch h := w.Header(); {
		case text == "" && w.Code != http.StatusServiceUnavailable:
			t.Errorf("%s: got %d %s", path, w.Code, w.Body)
		case text == "":
		case w.Code != http.StatusOK || !strings.Contains(w.Body.String(), text) || h.Get("Age") != age || h.Get("X-Feedwire-Stale") != stale:
			t.Errorf("%s: got %d %v %s; want %s, %s s old", path, w.Code, h, w.Body, text, age)
		case path == "/page" && strings.Contains(w.Body.String(), "The store is unavailable") != (age != ""):
			t.Errorf("the page does not say whether it is old: %s", w.Body)
		}
	}
	for _, path := range []string{"/page", "/api/v1/text"} {
		room.text, room.err = "first", nil
		as(1)
		want(path, "first", "")
		room.text, room.err = "second", feed.ErrUnavailable
		now = now.Add(15 * time.Minute)
		want(path, "first", "900")
		want(path+"?cursor=1", "", "")
		as(2)
		want(path, "", "")
		as(1)
		now = now.Add(time.Second)
		want(path, "", "")

		for _, drop := range []func(){func() { d.DropCopies(1) }, d.DropAllCopies} {
			room.err = nil
			want(path, "second", "")
			room.err = feed.ErrUnavailable
			d.DropCopies(2)
			want(path, "second", "0")
			drop()
			want(path, "", "")
		}
	}
}

func TestResponsesAboutAnotherAccountAreNotCopied(t *testing.T) {
	d := webtest.New(webtest.Noon)
	room := &copiedRoom{text: "text"}
	d.Mount(room)
	for _, visitor := range []feed.Visitor{{Name: "program"}, {Name: "admin", Account: feed.Account{ID: 1}}} {
		d.Visitor = visitor
		for _, err := range []error{nil, feed.ErrUnavailable} {
			room.err = err
			if w := d.Call(http.MethodGet, "/api/v1/text?user=ann", ""); (w.Code == http.StatusOK) != (err == nil) {
				t.Errorf("%s: got %d after %v", visitor.Name, w.Code, err)
			}
		}
	}
}
