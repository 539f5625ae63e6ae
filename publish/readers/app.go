package readers

import (
	"embed"
	"net/http"
	"strconv"

	"github.com/feedwire/feedwire/publish/web"
)

//go:embed app
var app embed.FS

// serveApp returns the handler of a file that makes the pages an app, which works on the paths below /read.
func serveApp(name, contentType string) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		h := w.Header()
		h.Set("Content-Type", contentType)
		h.Set("Cache-Control", "no-cache")
		h.Set("Service-Worker-Allowed", "/read")
		http.ServeFileFS(w, r, app, "app/"+name)
		return nil
	}
}

// prepare sets the header fields of a page: its files may be played once a reader starts them, it can be installed, and the service
// worker stores it for one account only.
func prepare(w http.ResponseWriter, account int64) {
	h := w.Header()
	h.Set("Content-Security-Policy", h.Get("Content-Security-Policy")+"; manifest-src 'self'; media-src http: https:")
	h.Set("X-Feedwire-Reader", strconv.FormatInt(account, 10))
}
