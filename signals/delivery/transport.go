package delivery

import (
	"context"
	"net"
	"net/http"
	"time"
)

// writeBuffer fits a typical delivery with its header, so that it is sent with one write.
const writeBuffer = 16 << 10

// NewTransport returns a transport for deliveries. Dial must fail with ErrBlocked for addresses that must not be reached.
// The transport keeps up to perHost idle connections to a host. It uses no proxy, which would bypass dial.
func NewTransport(dial func(ctx context.Context, network, address string) (net.Conn, error), perHost int) *http.Transport {
	return &http.Transport{
		DialContext:            dial,
		ForceAttemptHTTP2:      true, // setting DialContext disables it
		TLSHandshakeTimeout:    5 * time.Second,
		MaxResponseHeaderBytes: 32 << 10,
		MaxIdleConns:           1024,
		MaxIdleConnsPerHost:    perHost,
		IdleConnTimeout:        time.Minute,
		DisableCompression:     true, // response bodies are not read
		WriteBufferSize:        writeBuffer,
	}
}
