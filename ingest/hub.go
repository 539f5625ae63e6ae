package ingest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// maxHubAnswer bounds what is read of a hub's answer, in bytes: it may say there why it refuses.
const maxHubAnswer = 512

// errHubRedirect refuses a redirect that does not ask for the same request elsewhere, or would lead out of https.
var errHubRedirect = errors.New("the hub redirects in a way that a request must not follow")

// hubError is why a request to a hub came to nothing.
type hubError struct {
	result string        // a value of the result label
	wait   time.Duration // until the next one; 0: as always
	err    error
}

func (f *hubError) Error() string { return f.err.Error() }

// Unwrap returns the cause.
func (f *hubError) Unwrap() error { return f.err }

// explain is the failure as a person is told of it.
func (f *hubError) explain() string {
	text := feed.ShortLine(f.err.Error())
	switch f.result {
	case requestRefused:
		return text + "; the source is polled instead, and the hub asked again tomorrow"
	case requestBlocked:
		return text + "; if that network is yours, add it to fetch.allow_networks"
	}
	return text + "; the source is polled instead, and the hub asked again"
}

// post sends a request to a hub, which may send it on by 307 or 308 (section 5.1.2). Any 2xx takes it: hubs of
// PubSubHubbub 0.3 say 204 instead of 202. Timeout and proxy are those of the source, while what is sent along with its
// polls is for its own server only.
func (s *Subscriber) post(ctx context.Context, source *feed.Source, hub string, asked websub.Request) *hubError {
	timeout := source.Request.Timeout
	if timeout == 0 {
		timeout = requestTime
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	proxy, err := s.in.proxyOf(source)
	if err != nil {
		return &hubError{result: requestFailed, err: err}
	}
	req, err := http.NewRequestWithContext(withProxy(ctx, proxy), http.MethodPost, hub, strings.NewReader(asked.Form().Encode()))
	if err != nil {
		return &hubError{result: requestFailed, err: err}
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("User-Agent", s.in.terms().UserAgent)
	if err := s.in.checkBeyondProxy(req); err != nil {
		return unanswered(err)
	}
	client := http.Client{Transport: s.in.transport, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if err := hubRedirects(req, via); err != nil {
			return err
		}
		return s.in.checkBeyondProxy(req)
	}}
	resp, err := client.Do(req)
	if err != nil {
		return unanswered(err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	said, _ := io.ReadAll(io.LimitReader(resp.Body, maxHubAnswer))
	if resp.StatusCode/100 == 2 {
		return nil
	}
	reason := "the hub answers " + resp.Status
	if kind := resp.Header.Get("Content-Type"); len(said) > 0 && strings.HasPrefix(kind, "text/plain") {
		reason += ": " + strings.TrimSpace(withoutSecrets(string(said), asked.Callback, asked.Secret))
	}
	failure := &hubError{result: requestFailed, err: errors.New(reason)}
	if at := retryAfter(resp.Header, s.in.opts.Now()); !at.IsZero() {
		failure.wait = min(max(at.Sub(s.in.opts.Now()), failedDelay), maxWait)
	}
	if resp.StatusCode/100 == 4 {
		failure.result = requestRefused
		if failure.wait == 0 && resp.StatusCode != http.StatusTooManyRequests {
			failure.wait = refusedWait
		}
	}
	return failure
}

// hubRedirects follows only redirects that repeat the POST, and keeps the secret in https.
func hubRedirects(req *http.Request, via []*http.Request) error {
	from := via[len(via)-1].URL
	status := req.Response.StatusCode
	if status != http.StatusTemporaryRedirect && status != http.StatusPermanentRedirect || len(via) > 5 ||
		from.Scheme == "https" && req.URL.Scheme != "https" || req.URL.User != nil {
		return errHubRedirect
	}
	return nil
}

// unanswered is the failure of a request that got no answer.
func unanswered(err error) *hubError {
	if errors.Is(err, errHubRedirect) {
		return &hubError{result: requestRefused, wait: refusedWait, err: errHubRedirect}
	}
	e := fetchError(err)
	if own, ok := errors.AsType[*feed.Failure](e); ok && own.Class == feed.FailureBlockedAddress {
		return &hubError{result: requestBlocked, wait: refusedWait, err: e}
	}
	return &hubError{result: requestFailed, err: e}
}

// withoutSecrets is a hub's own text, fit to be logged and shown: some repeat the callback URL, whose last part is a token.
func withoutSecrets(text, callback, secret string) string {
	for _, private := range []string{callback[strings.LastIndexByte(callback, '/')+1:], secret} {
		if private != "" {
			text = strings.ReplaceAll(text, private, "…")
		}
	}
	return text
}
