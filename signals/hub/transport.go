package hub

import (
	"context"
	"net"
	"net/http"
	"time"
)

// writeBuffer holds a usual delivery with its head, so that it leaves in one piece.
const writeBuffer = 16 << 10

// NewTransport is the transport of deliveries over a dialer, which refuses with ErrBlocked what must not be reached. It
// keeps as many connections to a host open as deliveries to it are under way at a time. It knows no proxy: that would
// have to refuse instead.
func NewTransport(dial func(ctx context.Context, network, address string) (net.Conn, error), perHost int) *http.Transport {
	return &http.Transport{
		DialContext:            dial,
		ForceAttemptHTTP2:      true, // a DialContext of our own would turn it off
		TLSHandshakeTimeout:    5 * time.Second,
		MaxResponseHeaderBytes: 32 << 10,
		MaxIdleConns:           1024,
		MaxIdleConnsPerHost:    perHost,
		IdleConnTimeout:        time.Minute,
		DisableCompression:     true, // answers are not read
		WriteBufferSize:        writeBuffer,
	}
}
