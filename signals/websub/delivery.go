package websub

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
)

// ErrTooLarge means that a delivery exceeds the limit of the subscriber.
var ErrTooLarge = errors.New("the delivery is too large")

// ReadDelivery reads and decompresses a delivery of up to limit bytes. The signature is that of the decompressed document
// (section 7.1).
func ReadDelivery(r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, ErrTooLarge
	}
	from := io.LimitReader(r.Body, limit+1)
	switch r.Header.Get("Content-Encoding") {
	case "", "identity":
	case "gzip", "x-gzip":
		unpacked, err := gzip.NewReader(from)
		if err != nil {
			return nil, errors.New("the delivery is not valid gzip")
		}
		from = io.LimitReader(unpacked, limit+1)
	default:
		return nil, errors.New("the only content encoding of deliveries is gzip")
	}
	body, err := io.ReadAll(from)
	switch {
	case err != nil:
		return nil, errors.New("the delivery is incomplete")
	case int64(len(body)) > limit:
		return nil, ErrTooLarge
	}
	return body, nil
}
