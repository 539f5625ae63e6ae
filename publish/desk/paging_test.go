package desk_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// Whatever is added while a list is read, nothing else comes twice or is left out.
func TestListsAreReadToTheirEnd(t *testing.T) {
	n := storetest.EmptyNewsroom(t)
	d, ctx := newDesk(n), t.Context()
	for _, list := range []struct {
		path string
		add  func(i int) error
		id   func(item map[string]any) string
	}{
		{"/api/v1/sources", func(i int) error {
			url := fmt.Sprintf("https://site-%d.example/", i)
			_, _, err := n.AddSource(ctx, feed.Source{ID: feed.SourceID(url), URL: url})
			return err
		}, func(item map[string]any) string { return item["url"].(string) }},
		{"/api/v1/users", func(i int) error {
			return n.AddAccount(ctx, feed.Account{Name: fmt.Sprint("user-", i), Role: feed.RoleViewer})
		}, func(item map[string]any) string { return item["name"].(string) }},
		{"/api/v1/tokens", func(i int) error {
			return n.AddToken(ctx, feed.Token{ID: fmt.Sprint("token-", i), Created: webtest.Noon().Add(time.Duration(i/3) * time.Minute)})
		}, func(item map[string]any) string { return item["id"].(string) }},
	} {
		add := func(i int) {
			if err := list.add(i); err != nil {
				t.Fatal(err)
			}
		}
		if rec := d.call(http.MethodGet, list.path+"?cursor=zzz", ""); rec.Code != http.StatusBadRequest {
			t.Errorf("%s: a cursor of no response gets %d: %s", list.path, rec.Code, rec.Body)
		}
		for i := range 7 {
			add(10 + 2*i)
		}
		seen := make(map[string]int)
		for next, page := "", 0; ; page++ {
			rec := d.call(http.MethodGet, list.path+"?limit=2&cursor="+url.QueryEscape(next), "")
			p := webtest.Read[feed.Page[map[string]any]](t, rec)
			if len(p.Items) == 0 || len(p.Items) > 2 {
				t.Errorf("%s: a page of %d", list.path, len(p.Items))
			}
			for _, item := range p.Items {
				seen[list.id(item)]++
			}
			if page < 3 {
				add(11 + 4*page) // before or behind what follows
			}
			if next = p.Next; next == "" {
				break
			}
		}
		old := 0
		for id, times := range seen {
			if times != 1 {
				t.Errorf("%s: %s comes %d times", list.path, id, times)
			}
			if i := strings.TrimFunc(id, func(c rune) bool { return c < '0' || c > '9' }); (i[len(i)-1]-'0')%2 == 0 {
				old++
			}
		}
		if old != 7 {
			t.Errorf("%s: %d of 7 came: %v", list.path, old, seen)
		}
	}
}

func TestCursorsAreChecked(t *testing.T) {
	d := newDesk(storetest.NewNewsroom(t))
	for _, path := range []string{"/api/v1/sources", "/api/v1/users", "/api/v1/tokens", "/api/v1/sources/" + feed.SourceID(storetest.Site) + "/entries"} {
		for _, query := range []string{"cursor=!", "cursor=" + strings.Repeat("A", 5000), "limit=0", "limit=201"} {
			rec := d.call(http.MethodGet, path+"?"+query, "")
			name, _, _ := strings.Cut(query, "=")
			if p := webtest.Read[feed.Problem](t, rec); rec.Code != 400 || len(p.Errors) != 1 || p.Errors[0].Field != name {
				t.Errorf("%s?%.20s: %d %+v", path, query, rec.Code, p)
			}
		}
	}
}

func TestNothingIsBeforeTheLowestCursor(t *testing.T) {
	d := newDesk(storetest.NewNewsroom(t))
	for _, path := range []string{"/api/v1/audit", "/api/v1/signals/search", "/api/v1/hub/dead"} {
		for _, cursor := range []string{"0-0", "00-0", "0"} {
			rec := d.call(http.MethodGet, path+"?cursor="+cursor, "")
			if page := webtest.Read[feed.Page[any]](t, rec); rec.Code != 200 || len(page.Items) > 0 || page.Next != "" {
				t.Errorf("%s?cursor=%s: %d %s", path, cursor, rec.Code, rec.Body)
			}
		}
	}
}

// No cursor and no condition of a stranger does any harm: it is taken, or refused as one.
func FuzzCursorAndConditions(f *testing.F) {
	f.Add("", "", "")
	f.Add("aHR0cHM6Ly9z", `"a.b", W/"c", *`, `*`)
	f.Add("MTc5NTIxMTAyNi41MyA2YTI1ZDk5NC", `"`, `,,"`)
	d := newDesk(storetest.NewNewsroom(f))
	f.Fuzz(func(t *testing.T, cursor, none, match string) {
		for _, path := range []string{"/api/v1/sources", "/api/v1/articles"} {
			code := d.call(http.MethodGet, path+"?cursor="+url.QueryEscape(cursor), "", "If-None-Match", none).Code
			if !slices.Contains([]int{200, 304, 400}, code) {
				t.Errorf("%s with %q: %d", path, cursor, code)
			}
		}
		code := d.call(http.MethodPost, "/api/v1/sources/"+feed.SourceID(storetest.Site)+"/resume", "", "If-Match", match).Code
		if code != 200 && code != 412 {
			t.Errorf("with the condition %q: %d", match, code)
		}
	})
}
