package desk

import "net/http"

// wirePages adds the routes of what goes out: feeds, signals and subscriptions, and of the settings.
func (d *Desk) wirePages(pages *http.ServeMux) {
	pages.HandleFunc("GET /feeds", d.show(d.showFeeds))
	pages.HandleFunc("GET /feeds/{type}", d.show(d.showFeed))
	pages.HandleFunc("GET /feeds/{type}/document", d.show(d.showDocument))
	pages.HandleFunc("GET /signals", d.show(d.showSignals))
	pages.HandleFunc("GET /signals/live", d.showLive)
	pages.HandleFunc("GET /signals/{id}", d.show(d.showSignal))
	pages.HandleFunc("GET /settings", d.show(d.showSettings))
	if d.opts.Hub != nil {
		d.hubPages(pages)
	}
}
