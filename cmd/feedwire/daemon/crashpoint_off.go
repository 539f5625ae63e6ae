//go:build !crashpoints

package daemon

import (
	"net/http"

	"github.com/feedwire/feedwire/store"
)

// crashing returns the store unchanged; see crashpoint.go.
func crashing(s *store.Store) *store.Store { return s }

// crashingTransport returns the transport unchanged.
func crashingTransport(t *http.Transport) *http.Transport { return t }
