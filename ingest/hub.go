package ingest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

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

// post sends a request to a hub. Any 2xx accepts it: hubs of PubSubHubbub 0.3 answer 204 instead of 202.
func (s *Subscriber) post(ctx context.Context, source *feed.Source, hub string, asked websub.Request) *hubError {
	resp, err := s.in.client.PostForm(ctx, source, hub, asked.Form())
	switch class := feed.ClassOf(err); {
	case err == nil:
	case class == feed.FailureRedirectLimit:
		return &hubError{result: requestRefused, wait: refusedWait, err: err}
	case class == feed.FailureBlockedAddress:
		return &hubError{result: requestBlocked, wait: refusedWait, err: err}
	default:
		return &hubError{result: requestFailed, err: err}
	}
	if resp.Status/100 == 2 {
		return nil
	}
	reason := fmt.Sprintf("the hub answers %d %s", resp.Status, http.StatusText(resp.Status))
	if len(resp.Body) > 0 && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		reason += ": " + strings.TrimSpace(withoutSecrets(string(resp.Body), asked.Callback, asked.Secret))
	}
	failure := &hubError{result: requestFailed, err: errors.New(reason)}
	if at := fetch.RetryAfter(resp.Header, s.in.opts.Now()); !at.IsZero() {
		failure.wait = max(at.Sub(s.in.opts.Now()), failedDelay)
	}
	if resp.Status/100 == 4 {
		failure.result = requestRefused
		if failure.wait == 0 && resp.Status != http.StatusTooManyRequests {
			failure.wait = refusedWait
		}
	}
	return failure
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
