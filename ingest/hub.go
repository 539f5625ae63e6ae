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

// explainRequest returns the failure of a request and its consequence. result is a value of the label result.
func explainRequest(result string, err error) string {
	text := feed.ShortLine(err.Error())
	switch result {
	case requestRefused:
		return text + "; the source is polled instead, and the hub asked again tomorrow"
	case requestBlocked:
		return text + "; if that network is yours, add it to fetch.allow_networks"
	}
	return text + "; the source is polled instead, and the hub asked again"
}

// post sends a request to a hub and returns a value of the label result. Any 2xx accepts the request: hubs of PubSubHubbub 0.3
// answer 204 instead of 202. After a failure, wait is the time until the next request; 0 is the usual delay.
func (s *Subscriber) post(ctx context.Context, source *feed.Source, hub string, request feed.HubRequest) (
	result string, wait time.Duration, err error,
) {
	resp, err := awaitServer(ctx, func(ctx context.Context, _ func(int)) (fetch.Response, error) {
		return s.in.client.PostForm(ctx, source, hub, websub.RequestForm(&request))
	})
	switch class := feed.ClassOf(err); {
	case err == nil && resp.Status/100 == 2:
		return requestAccepted, 0, nil
	case err == nil:
	case class == feed.FailureRedirectLimit:
		return requestRefused, refusedWait, err
	case class == feed.FailureBlockedAddress:
		return requestBlocked, refusedWait, err
	default:
		return requestFailed, 0, err
	}
	reason := fmt.Sprintf("the hub answers %d %s", resp.Status, http.StatusText(resp.Status))
	if len(resp.Body) > 0 && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		reason += ": " + strings.TrimSpace(withoutSecrets(string(resp.Body), request.Callback, request.Secret))
	}
	if at := fetch.RetryAfter(resp.Header, s.in.opts.Now()); !at.IsZero() {
		wait = max(at.Sub(s.in.opts.Now()), failedDelay)
	}
	switch {
	case resp.Status == http.StatusTooManyRequests:
		return requestRefused, wait, errors.New(reason)
	case resp.Status/100 == 4:
		return requestRefused, cmp.Or(wait, refusedWait), errors.New(reason)
	}
	return requestFailed, wait, errors.New(reason)
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
