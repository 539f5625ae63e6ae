package delivery

import (
	"net/http"
	"testing"
	"time"
)

// The example comes from the reference libraries of Standard Webhooks.
func TestWebhookSignatureFollowsTheStandard(t *testing.T) {
	header := make(http.Header)
	err := signWebhook(header, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek",
		[]byte(`{"test": 2432232314}`), time.Unix(1614265330, 0))
	if got := header.Get("webhook-signature"); err != nil || got != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Errorf("got %s, %v", got, err)
	}
	if err := signWebhook(header, "no secret", "id", nil, time.Now()); err == nil {
		t.Error("it is signed without a secret")
	}
}
