// Package settings serves the page and the API of the configuration in force.
package settings

import (
	"embed"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Settings serves the routes of the configuration. Create it with New.
type Settings struct {
	web        *web.Pages
	settings   []feed.Setting
	lastReload func() Reload
}

//go:embed templates
var files embed.FS

// New returns Settings. lastReload returns the newest reload, with a zero Time if there was none.
func New(kit *web.Kit, inForce []feed.Setting, lastReload func() Reload) *Settings {
	return &Settings{web: kit.Pages(files, nil), settings: inForce, lastReload: lastReload}
}

// Site returns the routes of the configuration.
func (s *Settings) Site() web.Site {
	list := func(*http.Request) (feed.Page[feed.Setting], error) { return web.List(s.settings, ""), nil }
	return web.Site{
		Routes: []web.Route{
			{Pattern: "GET /settings", Scope: feed.ScopeAdmin, Serve: s.show},
			{Pattern: "GET /api/v1/settings", Scope: feed.ScopeAdmin, Serve: web.Reply(http.StatusOK, list)},
		},
		AdminNav: []web.Link{{Path: "/settings", Text: "settings"}},
	}
}

// page is the data of settings.html.
type page struct {
	web.Frame
	Changed, Defaults []feed.Setting
	Reload            Reload
}

// show serves the page "/settings".
func (s *Settings) show(w http.ResponseWriter, r *http.Request) error {
	view := page{Frame: web.Frame{Title: "Settings"}, Reload: s.lastReload()}
	for _, one := range s.settings {
		if one.Origin == "default" {
			view.Defaults = append(view.Defaults, one)
		} else {
			view.Changed = append(view.Changed, one)
		}
	}
	return s.web.Render(w, r, "settings.html", &view)
}

// Reload is the result of reloading the configuration.
type Reload struct {
	Time     time.Time            `json:"time"`
	OK       bool                 `json:"ok"`       // the configuration is valid; false: nothing changed
	Problems []string             `json:"problems"` // each with place, key, reason and advice
	Changes  []feed.SettingChange `json:"changes"`  // from the configuration in force to the one read
}
