// Package desk holds the description of the API. Its sub-packages are the rooms that serve pages and API, one for each noun.
package desk

import (
	_ "embed" // of openapi.yaml
	"net/http"

	"github.com/feedwire/feedwire/publish/web"
)

//go:embed openapi.yaml
var openAPI []byte

// Desk serves the description of the API (OpenAPI 3.1). It says nothing about this daemon.
type Desk struct{}

// Site returns the route of the description.
func (Desk) Site() web.Site {
	serve := func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "application/yaml")
		_, _ = w.Write(openAPI) // the client may be gone
		return nil
	}
	return web.Site{Routes: []web.Route{{Pattern: "GET /api/v1/openapi.yaml", Scope: web.Public, Serve: serve}}}
}
