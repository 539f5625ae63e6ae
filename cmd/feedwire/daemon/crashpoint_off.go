//go:build !crashpoints

package daemon

import (
	"net/http"

	"github.com/feedwire/feedwire/store"
)

// crashing and crashingTransport return the store and the transport unchanged; see crashpoint.go.
func crashing(s store.Nouns) store.Nouns                  { return s }
func crashingTransport(t *http.Transport) *http.Transport { return t }
