//go:build !crashpoints

package main

import (
	"net/http"

	"github.com/feedwire/feedwire/store"
)

// mortal is the store as it is, see crashpoint.go.
func mortal(s *store.Store) *store.Store { return s }

// mortalTransport is the transport as it is.
func mortalTransport(t *http.Transport) *http.Transport { return t }
