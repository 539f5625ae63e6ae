package cli

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
)

func TestSubscribeGivesUpOnAHubThatNeverCalls(t *testing.T) {
	t.Parallel()
	hub := wiretest.NewHub(t)
	hub.Answer = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusAccepted)
		return true
	}
	feedURL, _ := wiretest.Advertised(t, hub.URL)
	s := subscriber{notes: io.Discard, patience: time.Millisecond, client: newFetcher(anyNetwork())}
	err := s.run(t.Context(), feedURL, "127.0.0.1:0", "")
	if err == nil || !strings.Contains(err.Error(), "did not confirm it within 1ms; can it reach http://127.0.0.1:") {
		t.Errorf("it says %v", err)
	}
}
