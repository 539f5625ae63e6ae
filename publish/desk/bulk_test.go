package desk_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestBulkRequestsAreBounded(t *testing.T) {
	d := newDesk(storetest.NewNewsroom(t))
	names := slices.Repeat([]string{storetest.Site}, 201)
	many, err := json.Marshal(map[string]any{"sources": names})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, body, field string }{
		{"/api/v1/sources/pause", string(many), "sources"}, {"/api/v1/sources/pause", `{"sources":[]}`, "sources"},
		{"/api/v1/sources/poll", `{}`, "sources"}, {"/api/v1/sources/remove", `{"all":true}`, "all"},
		{"/api/v1/articles/publish", `{"feed":"production"}`, "articles"}, {"/api/v1/articles/publish", `{"articles":["x"]}`, "feed"},
	} {
		rec := d.call(http.MethodPost, c.path, c.body)
		p := webtest.Read[feed.Problem](t, rec)
		if rec.Code != http.StatusBadRequest || len(p.Errors) != 1 || p.Errors[0].Field != c.field {
			t.Errorf("%s %.40s: %d %+v", c.path, c.body, rec.Code, p)
		}
	}
}
