package subscriber

import (
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/ingest/fetch"
)

func TestSubscribeGivesUpOnAHubThatNeverCalls(t *testing.T) {
	t.Parallel()
	hub := wiretest.NewHub(t)
	hub.Answer = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusAccepted)
		return true
	}
	feedURL, _ := wiretest.Advertised(t, hub.URL)
	client := fetch.New(fetch.Options{AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, 1)
	err := Run(t.Context(), feedURL, Options{
		Client: client, Listen: "127.0.0.1:0", Out: io.Discard, Notes: io.Discard, patience: time.Millisecond,
	})
	if err == nil || !strings.Contains(err.Error(), "did not confirm it within 1ms; can it reach http://127.0.0.1:") {
		t.Errorf("it says %v", err)
	}
}
