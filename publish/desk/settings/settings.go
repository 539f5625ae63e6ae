// Package settings serves the page and the API of the configuration in force.
package settings

import (
	"embed"
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Setting is an option of the configuration in force.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`  // secrets masked
	Origin string `json:"origin"` // "default", "feedwire.yaml:12", "env FEEDWIRE_LISTEN" or "flag --listen"
}

// Options configure Settings.
type Options struct {
	Settings   []Setting     // in force
	LastReload func() Reload // the newest reload; a zero Time: there was none
}

// Settings serves the routes of the configuration. Create it with New.
type Settings struct {
	web   *web.Kit
	pages *web.Pages
	opts  Options
}

//go:embed templates
var files embed.FS

// New returns Settings.
func New(kit *web.Kit, opts Options) *Settings {
	return &Settings{web: kit, pages: kit.Pages(files), opts: opts}
}

// Routes returns every route of the configuration.
func (s *Settings) Routes() []web.Route {
	return []web.Route{
		{Pattern: "GET /settings", Scope: feed.ScopeAdmin, Serve: s.show},
		{Pattern: "GET /api/v1/settings", Scope: feed.ScopeAdmin, Serve: s.list},
	}
}

// page is the data of settings.html.
type page struct {
	web.Frame
	Changed, Defaults []Setting
	Reload            Reload
	When              web.Moment // of Reload
}

// show serves the page "/settings".
func (s *Settings) show(w http.ResponseWriter, r *http.Request) error {
	view := page{Frame: s.web.Frame(r, "Settings – feedwire", 0), Reload: s.opts.LastReload()}
	view.When = web.Exactly(view.Reload.Time, s.web.Now())
	for _, one := range s.opts.Settings {
		if one.Origin == "default" {
			view.Defaults = append(view.Defaults, one)
		} else {
			view.Changed = append(view.Changed, one)
		}
	}
	s.pages.Render(w, r, http.StatusOK, "settings.html", view)
	return nil
}

// list serves GET /api/v1/settings.
func (s *Settings) list(w http.ResponseWriter, _ *http.Request) error {
	web.JSON(w, http.StatusOK, web.List(s.opts.Settings, ""))
	return nil
}
