package desk

import "net/http"

// Setting is an option of the configuration that is in force.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`  // secrets masked
	Origin string `json:"origin"` // "default", "feedwire.yaml:12", "env FEEDWIRE_LISTEN" or "flag --listen"
}

// settingsPage is what the template shows.
type settingsPage struct {
	frame
	Chosen, Defaults []Setting
	Reload           Reload // the newest
	When             moment // of it
}

// showSettings serves "/settings": the configuration in force, and where it comes from.
func (d *Desk) showSettings(w http.ResponseWriter, r *http.Request) error {
	page := settingsPage{frame: d.frame(r, "Settings – feedwire", 0)}
	page.Reload = d.opts.LastReload()
	page.When = exactly(page.Reload.Time, d.opts.Now())
	for _, s := range d.opts.Settings {
		if s.Origin == "default" {
			page.Defaults = append(page.Defaults, s)
		} else {
			page.Chosen = append(page.Chosen, s)
		}
	}
	d.render(w, r, http.StatusOK, "settings.html", page)
	return nil
}
