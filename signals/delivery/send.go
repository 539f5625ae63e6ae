package delivery

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// maxDiscard bounds how much of a response body is read so that the connection can be reused. The body has no meaning
// (section 7).
const maxDiscard = 4 << 10

// errFence is the error of a delivery whose lease is over.
var errFence = errors.New("the lease of the delivery is over")

// send sends one request with the id of the delivery. It sends nothing after the fence, or while this engine is silent, when another daemon may have the
// delivery: a process that was suspended must not deliver an old version after a newer one. A delivery without a fence is not claimed.
func (e *Engine) send(ctx context.Context, d *feed.Delivery, id string, version *feed.Distribution) (response, error) {
	timeout := e.current.Load().Timeout
	over := func() bool { return false }
	if !d.Fence.IsZero() {
		timeout = min(timeout, d.Fence.Sub(e.opts.Now()))
		over = func() bool { return !e.opts.Now().Before(d.Fence) || !e.mayDeliver() }
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	header, content, err := e.message(&d.Subscription, id, version)
	if err != nil {
		return response{class: classError}, nil //nolint:nilerr // an invalid secret is a failure of the subscription
	}
	if version.Version <= d.Replayed {
		header[replayHeader] = []string{"1"}
	}
	if d.Test {
		header[testHeader] = []string{"1"}
	}
	body := bytes.NewReader(content)
	var cut atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() {
		// The header is still in a buffer. If the lease is over by now, an empty body makes the request fail before anything
		// is sent.
		if over() {
			cut.Store(true)
			body.Reset(nil)
		}
	}})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.Subscription.Callback, http.NoBody)
	if err != nil {
		return response{class: classError}, nil //nolint:nilerr // an invalid callback is a failure of the subscription
	}
	req.ContentLength, req.Body = int64(len(content)), io.NopCloser(body)
	req.GetBody = func() (io.ReadCloser, error) {
		body = bytes.NewReader(content)
		return io.NopCloser(body), nil
	}
	req.Header = header
	// The empty field allows net/http to repeat the request if an idle connection turns out to be closed. It is not sent.
	req.Header["X-Idempotency-Key"] = nil
	transport := e.transport
	if kind := d.Subscription.Kind; kind == feed.KindWebhook || kind == feed.KindPing {
		transport = e.opts.Operator
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		if cut.Load() || over() {
			return response{}, errFence
		}
		return failedResponse(err), nil
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	_, _ = io.CopyN(io.Discard, resp.Body, maxDiscard)
	r := response{class: statusClass(resp.StatusCode), status: resp.StatusCode, readers: websub.Readers(resp.Header)}
	if r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable {
		r.wait = retryAfter(resp.Header, e.opts.Now())
	}
	return r, nil
}

// deliveryHeader has the id of a delivery, which is the same for each attempt.
const deliveryHeader = "X-Feedwire-Delivery"

// replayHeader marks a version that was sent before, so that a subscriber does not mistake it for news.
const replayHeader = "X-Feedwire-Replay"

// message returns the header and the body of a version for a subscription of any kind.
func (e *Engine) message(sub *feed.Subscription, id string, version *feed.Distribution) (header http.Header, body []byte, err error) {
	opts := e.current.Load()
	header, body = http.Header{
		"Content-Type": {version.ContentType},
		"User-Agent":   {opts.UserAgent},
		deliveryHeader: {id},
	}, version.Body
	switch sub.Kind {
	case feed.KindWebhook:
		return header, body, signWebhook(header, sub.Secret, id, body, e.opts.Now())
	case feed.KindPing:
		header["Content-Type"] = []string{"application/x-www-form-urlencoded"}
		return header, websub.PublishForm(sub.Topic), nil
	}
	if e.opts.HubURL != "" {
		header["Link"] = []string{websub.FormatLinks(e.opts.HubURL, sub.Topic)}
	}
	if sub.Secret != "" { // the signature is of the exact bytes of the body (section 7.1)
		method := sub.Method
		if !websub.IsMethod(method) {
			method = opts.Method
		}
		header[websub.SignatureHeader] = []string{websub.Sign(method, sub.Secret, body)}
	}
	return header, body, nil
}

// writeBuffer fits a typical delivery with its header, so that it is sent with one write.
const writeBuffer = 16 << 10

// NewTransport returns a transport for deliveries. Dial must fail with feed.FailureBlockedAddress for addresses that
// must not be reached. The transport keeps up to perHost idle connections to a host. It uses no proxy, which would bypass dial.
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
