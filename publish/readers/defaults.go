package readers

import (
	"net/http"
	"slices"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// defaultRoutes are those of the sources that new members follow.
func (rs *Readers) defaultRoutes() []web.Route {
	add := &web.Action{Name: "default_follow_add", Text: "made new members follow"}
	remove := &web.Action{Name: "default_follow_remove", Text: "made new members no longer follow"}
	byForm := func(did string, do func(*http.Request, string) error, value func(*http.Request) string) web.Handler {
		return web.Form(func(r *http.Request) (web.Next, error) {
			return web.Next{Page: "/default-follows", Did: did}, do(r, value(r))
		})
	}
	inPath := func(r *http.Request) string { return r.PathValue("id") }
	inForm := func(r *http.Request) string { return r.PostFormValue("url") }
	byAPI := func(do func(*http.Request, string) error) web.Handler {
		return web.Done(func(r *http.Request) error { return do(r, inPath(r)) })
	}
	list := web.Paged(rs.store.DefaultSources, func(s feed.Source) string { return s.URL })
	scope := feed.ScopeSources
	return []web.Route{
		{Pattern: "GET /default-follows", Scope: scope, Serve: rs.showDefaults},
		{Pattern: "POST /default-follows", Scope: scope, Action: add, Serve: byForm("default", rs.addDefault, inForm), Failed: rs.showDefaults},
		{
			Pattern: "POST /default-follows/{id}/remove", Scope: scope, Action: remove,
			Serve: byForm("no-default", rs.removeDefault, inPath), Failed: rs.showDefaults,
		},
		{Pattern: "GET /api/v1/default-follows", Query: []string{"limit", "cursor"}, Scope: scope, Serve: web.Reply(http.StatusOK, list)},
		{Pattern: "PUT /api/v1/default-follows/{id}", Scope: scope, Action: add, Serve: byAPI(rs.addDefault)},
		{Pattern: "DELETE /api/v1/default-follows/{id}", Scope: scope, Action: remove, Serve: byAPI(rs.removeDefault)},
	}
}

// addDefault makes new members follow the source with an id or URL.
func (rs *Readers) addDefault(r *http.Request, source string) error {
	id, err := feed.ParseSourceID(source)
	if err != nil {
		return err
	}
	s, err := rs.store.Source(r.Context(), id)
	if err != nil {
		return err
	}
	web.Changed(r, feed.SourceObject(&s), "", "")
	return rs.store.AddDefaultFollow(r.Context(), s.URL)
}

// removeDefault undoes addDefault. The source may have been removed.
func (rs *Readers) removeDefault(r *http.Request, source string) error {
	id, err := feed.ParseSourceID(source)
	if err != nil {
		return err
	}
	urls, err := rs.store.DefaultFollows(r.Context())
	if err != nil {
		return err
	}
	i := slices.IndexFunc(urls, func(url string) bool { return feed.SourceID(url) == id })
	if i < 0 {
		return feed.ErrNotFound
	}
	web.Changed(r, feed.SourceObject(&feed.Source{ID: id, URL: urls[i]}), "", "")
	return rs.store.RemoveDefaultFollow(r.Context(), urls[i])
}

// defaultsPage is the data of defaults.html.
type defaultsPage struct {
	web.Frame
	Rows    []feed.Source
	Address string // in the form
}

// showDefaults serves GET /default-follows.
func (rs *Readers) showDefaults(w http.ResponseWriter, r *http.Request) error {
	sources, err := rs.store.DefaultSources(r.Context())
	if err != nil {
		return err
	}
	page := defaultsPage{web.Frame{Title: "Default follows"}, sources, web.Cut(r.PostFormValue("url"), 2048)}
	return rs.web.Render(w, r, "defaults.html", &page)
}
