//go:build !crashpoints

package daemon

import "net/http"

// crashingIngest and crashingHub return the store unchanged; see crashpoint.go.
func crashingIngest(s ingestStore) ingestStore { return s }
func crashingHub(s engineStore) engineStore    { return s }

// crashingTransport returns the transport unchanged.
func crashingTransport(t *http.Transport) *http.Transport { return t }
