package ingest

import (
	"cmp"
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

// hubError is the failure of a request to a hub.
type hubError struct {
	result string        // a value of the label result
	wait   time.Duration // until the next request; 0: the usual delay
	err    error
}

// explain returns the failure and its consequence.
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
func (s *Subscriber) post(ctx context.Context, source *feed.Source, hub string, request websub.Request) *hubError {
	resp, err := s.in.client.PostForm(ctx, source, hub, request.Form())
	if err != nil {
		failure := &hubError{result: requestFailed, err: err}
		switch feed.ClassOf(err) {
		case feed.FailureRedirectLimit:
			failure.result, failure.wait = requestRefused, refusedWait
		case feed.FailureBlockedAddress:
			failure.result, failure.wait = requestBlocked, refusedWait
		}
		return failure
	}
	if resp.Status/100 == 2 {
		return nil
	}
	reason := fmt.Sprintf("the hub answers %d %s", resp.Status, http.StatusText(resp.Status))
	if len(resp.Body) > 0 && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		reason += ": " + strings.TrimSpace(withoutSecrets(string(resp.Body), request.Callback, request.Secret))
	}
	failure := &hubError{result: requestFailed, err: errors.New(reason)}
	if at := fetch.RetryAfter(resp.Header, s.in.opts.Now()); !at.IsZero() {
		failure.wait = max(at.Sub(s.in.opts.Now()), failedDelay)
	}
	if resp.Status/100 == 4 {
		failure.result = requestRefused
		if resp.Status != http.StatusTooManyRequests {
			failure.wait = cmp.Or(failure.wait, refusedWait)
		}
	}
	return failure
}

// withoutSecrets removes the secret and the token, the end of the callback URL, from a text of a hub before it is logged.
func withoutSecrets(text, callback, secret string) string {
	for _, private := range []string{callback[strings.LastIndexByte(callback, '/')+1:], secret} {
		if private != "" {
			text = strings.ReplaceAll(text, private, "…")
		}
	}
	return text
}
