package desk

import (
	_ "embed" // of openapi.yaml
	"net/http"
)

//go:embed openapi.yaml
var openAPIDocument []byte

// openAPI answers with the description of the API (OpenAPI 3.1). It says nothing about this daemon.
func openAPI(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(openAPIDocument) // the client may be gone
	return nil
}
