package e2e

import (
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/storetest"
)

// The program itself takes a changed configuration over when it is sent SIGHUP, and goes on with the one it has when the file
// is bad. The log and the metrics say which.
func TestHangUpHasTheProgramReadItsConfiguration(t *testing.T) {
	t.Parallel()
	p := wiretest.BuildProgram(t, "store: {redis: 'unix://"+storetest.RedisAOF(t).Addr()+"'}")
	good, err := os.ReadFile(p.Config)
	if err != nil {
		t.Fatal(err)
	}
	const successful, taken = "feedwire_config_last_reload_successful", "feedwire_config_last_reload_success_timestamp_seconds"
	hangUp := func(more string) {
		t.Helper()
		if err := os.WriteFile(p.Config, append(good, more...), 0o600); err != nil {
			t.Fatal(err)
		}
		p.Signal(syscall.SIGHUP)
	}
	logged := func(parts ...string) {
		t.Helper()
		wiretest.Eventually(t, "logged", func() bool {
			for line := range strings.Lines(p.Log.String()) {
				missing := false
				for _, part := range parts {
					missing = missing || !strings.Contains(line, part)
				}
				if !missing {
					return true
				}
			}
			return false
		})
	}
	status := func(path string) int {
		t.Helper()
		resp, err := http.Get("http://" + p.Address + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	p.Start()
	p.Ready()
	if code := status("/feed/kiosk"); code != http.StatusNotFound {
		t.Fatalf("a feed that is not configured answers %d", code)
	}

	hangUp("feeds: {kiosk: {title: Kiosk}}\n")
	wiretest.Eventually(t, "served", func() bool { return status("/feed/kiosk") == http.StatusOK })
	logged("setting changed", `"key":"feeds.kiosk","from":"","to":"configured"`)
	logged("configuration reloaded", `"changes":`)
	since := scrape(t, p.Address, taken, "")

	hangUp("feeds: {kiosk: {windows: 2h}}\n")
	wiretest.Eventually(t, "refused", func() bool { return scrape(t, p.Address, successful, "") == 0 })
	logged(`"level":"ERROR"`, "configuration invalid, nothing changed", p.Config+":", "did you mean window?")
	if code, at := status("/feed/kiosk"), scrape(t, p.Address, taken, ""); code != http.StatusOK || at != since {
		t.Errorf("after a bad file the feed answers %d, and the last good one was taken over at %.0f, not %.0f", code, at, since)
	}

	hangUp("")
	wiretest.Eventually(t, "taken over", func() bool { return scrape(t, p.Address, successful, "") == 1 })
	if code := status("/feed/kiosk"); code != http.StatusNotFound {
		t.Errorf("a feed that was removed answers %d", code)
	}
	if code := status("/readyz"); code != http.StatusOK {
		t.Errorf("after three signals /readyz answers %d", code)
	}
}
