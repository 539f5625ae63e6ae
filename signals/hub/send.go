package hub

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"time"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// The classes of answers to a delivery: values of the class label and of feed.Health.Reason.
const (
	classTaken    = "2xx"
	classRedirect = "3xx" // not followed: a failure (WebSub section 7)
	classClient   = "4xx"
	classServer   = "5xx"
	classTimeout  = "timeout"
	classBlocked  = "blocked" // the address must not be dialled
	classError    = "error"   // no connection, or no HTTP
)

func classes() []string {
	return []string{classTaken, classRedirect, classClient, classServer, classTimeout, classBlocked, classError}
}

// answer is what came of one POST.
type answer struct {
	class   string
	status  int           // 0: none
	wait    time.Duration // that the server asked for; 0: it did not
	readers int           // for whom the subscriber says it is; 0: it does not say
}

// gone reports whether the subscriber says that there is no such subscription (section 7).
func (a answer) gone() bool { return a.status == http.StatusGone }

// ill reports whether the server itself is in trouble, and not just this callback.
func (a answer) ill() bool {
	return a.class == classServer || a.class == classTimeout || a.class == classError || a.status == http.StatusTooManyRequests
}

// maxAnswer is how much of an answer is read so that its connection can be used again. It means nothing (section 7).
const maxAnswer = 4 << 10

// longest and shortest time for which a server may ask.
const (
	leastWait = 5 * time.Second
	mostWait  = 6 * time.Hour
)

// ErrBlocked is what the transport returns for an address that must not be dialled.
var ErrBlocked = errors.New("address blocked")

// errFence ends a delivery that somebody else may have taken over.
var errFence = errors.New("the claim is over")

// send makes one POST. It is not begun once the claim may be somebody else's: a process that slept for a while must not
// deliver an old version behind a newer one.
func (e *Engine) send(ctx context.Context, d *feed.Delivery, version *feed.Distribution) (answer, error) {
	left := d.Fence.Sub(e.opts.Now())
	ctx, cancel := context.WithTimeout(ctx, min(e.terms().Timeout, left))
	defer cancel()
	content, err := e.content(&d.Subscription, version)
	if err != nil {
		return answer{class: classError}, nil //nolint:nilerr // its secret was good once; it is its own failure
	}
	body := bytes.NewReader(content.body)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() {
		// The head waits for the body in a buffer: this is the last moment to find that the claim is over. Without its body
		// the request fails, and nothing of it leaves the house.
		if !e.opts.Now().Before(d.Fence) {
			body.Reset(nil)
		}
	}})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.Subscription.Callback, http.NoBody)
	if err != nil {
		return answer{class: classError}, nil //nolint:nilerr // the callback was a URL once; it is its own failure
	}
	req.ContentLength, req.Body = int64(len(content.body)), io.NopCloser(body)
	req.GetBody = func() (io.ReadCloser, error) {
		body = bytes.NewReader(content.body)
		return io.NopCloser(body), nil
	}
	req.Header = content.header
	// The same delivery may be sent again at once where a connection kept open turns out to be closed; the field says so to
	// net/http and, being empty, to nobody else.
	req.Header["X-Idempotency-Key"] = nil
	transport := e.transport
	if way := d.Subscription.Way; way == feed.WayWebhook || way == feed.WayPing {
		transport = e.opts.Operator
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		if !e.opts.Now().Before(d.Fence) {
			return answer{}, errFence
		}
		return answer{class: failureClass(err)}, nil
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	_, _ = io.CopyN(io.Discard, resp.Body, maxAnswer)
	a := answer{class: statusClass(resp.StatusCode), status: resp.StatusCode, readers: websub.Readers(resp.Header)}
	if a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable {
		a.wait = retryAfter(resp.Header.Get("Retry-After"), e.opts.Now())
	}
	return a, nil
}

func statusClass(status int) string {
	switch status / 100 {
	case 2:
		return classTaken
	case 3:
		return classRedirect
	case 4:
		return classClient
	case 5:
		return classServer
	}
	return classError
}

// failureClass tells the failures of a request without an answer apart. Their texts name the callback and are not kept.
func failureClass(err error) string {
	if errors.Is(err, ErrBlocked) {
		return classBlocked
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return classTimeout
	}
	return classError
}

// retryAfter reads the time that a server asks for (RFC 9110 section 10.2.3), within bounds; 0: it says nothing.
func retryAfter(value string, now time.Time) time.Duration {
	var wait time.Duration
	if seconds, err := strconv.ParseInt(value, 10, 32); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		wait = at.Sub(now)
	} else {
		return 0
	}
	return min(max(wait, leastWait), mostWait)
}

// content is what one subscriber is sent.
type content struct {
	header http.Header
	body   []byte
}

// deliveryHeader names a delivery, the same with each repetition.
const deliveryHeader = "X-Feedwire-Delivery"

// content makes what a subscriber is sent of a version, in its way.
func (e *Engine) content(sub *feed.Subscription, version *feed.Distribution) (content, error) {
	id := feed.TopicID(sub.Topic) + "-" + strconv.FormatInt(version.Version, 10)
	c := content{body: version.Body, header: http.Header{
		"Content-Type": {version.ContentType},
		"User-Agent":   {e.terms().UserAgent},
		deliveryHeader: {id},
	}}
	switch sub.Way {
	case feed.WayWebhook:
		return c, signWebhook(c.header, sub.Secret, id, c.body, e.opts.Now())
	case feed.WayPing:
		c.header["Content-Type"], c.body = []string{"application/x-www-form-urlencoded"}, websub.PublishForm(sub.Topic)
		return c, nil
	}
	e.address(&c, sub)
	return c, nil
}

// address completes a delivery of WebSub. The content type, the links and the topic come from the topic, the signature is
// over the very bytes of the body (section 7.1).
func (e *Engine) address(c *content, sub *feed.Subscription) {
	if e.opts.HubURL != "" {
		c.header["Link"] = []string{websub.FormatLinks(e.opts.HubURL, sub.Topic)}
	}
	if sub.Secret != "" {
		method := websub.Method(sub.Method)
		if !method.Known() {
			method = e.terms().Method
		}
		c.header[websub.SignatureHeader] = []string{websub.Sign(method, sub.Secret, c.body)}
	}
}
