package hub

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// callBack sends the verification request, or the denial, and classifies the response. Only a 2xx with the challenge as its
// body confirms a request (section 5.3.1).
func (f *Front) callBack(ctx context.Context, r *feed.HubRequest) (result string) {
	ctx, cancel := context.WithTimeout(ctx, f.opts.Timeout)
	defer cancel()
	intent := websub.Intent{
		Mode: websub.Mode(r.Mode), Topic: cmp.Or(r.RequestedTopic, r.Topic), Lease: r.Lease, Reason: r.Reason, VerifyToken: r.VerifyToken,
	}
	if r.Mode != feed.HubDenied {
		intent.Challenge = rand.Text() // at least 128 bits
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, intent.URL(r.Callback), nil)
	if err != nil {
		return verifyFailed
	}
	req.Header.Set("User-Agent", f.current.Load().UserAgent)
	resp, err := f.transport.RoundTrip(req) // not Client.Do: a redirect is a refusal
	if err != nil {
		if errors.Is(err, delivery.ErrBlocked) {
			return verifyBlocked
		}
		return verifyFailed
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	switch {
	case resp.StatusCode >= 500:
		return verifyFailed
	case resp.StatusCode/100 != 2:
		return verifyRefused
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(len(intent.Challenge))+1))
	switch {
	case err != nil:
		return verifyFailed
	case string(body) != intent.Challenge:
		return verifyMismatch
	}
	return verifyConfirmed
}
