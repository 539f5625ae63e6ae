package delivery_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestFailureNamesWhatTheConnectionLacked(t *testing.T) {
	d := newHarness(t, storetest.Redis(t))
	unknown := httptest.NewUnstartedServer(http.NotFoundHandler())
	unknown.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes
	unknown.StartTLS()
	t.Cleanup(unknown.Close)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	want := map[string]string{d.subscribe(unknown.URL, ""): "tls", d.subscribe(closed.URL, ""): "connect"}
	d.run(delivery.Options{})
	d.news("news", true)
	for id, reason := range want {
		eventually(t, reason, func() bool {
			sub, err := d.Hub.Subscription(t.Context(), id)
			return err == nil && sub.Health.Failures > 0 && sub.Health.Reason == reason
		})
	}
}
