package daemon

import (
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
)

// Our subscriber and our hub, over real sockets: news of a source reaches the subscriber once, and it leaves.
func TestSubscribeAtOurOwnHub(t *testing.T) {
	t.Parallel()
	d, web, src := startFor(t)
	var out, errs string
	polled := false
	code := interrupted(t, func(term outputs) bool {
		out, errs = written(t, term.out), written(t, term.err)
		if !polled && strings.Contains(errs, "subscribed for 6h") {
			polled = true
			web.Set("/feed.xml", append(wiretest.Posts(2), wiretest.Post("p9", "Fresh", "<p>Body</p>"))...)
			d.poll(src)
		}
		return strings.Contains(out, "Fresh")
	}, "subscribe", src.URL, "--hub", d.Base+"/hub")
	if code != cli.ExitOK || strings.Count(out, "\n") != 1 || strings.Contains(errs, "refused") {
		t.Errorf("it ends with %d, prints %q and says %q", code, out, errs)
	}
	wiretest.Eventually(t, "forgotten by the hub", func() bool {
		state, err := d.app.store.Hub.HubState(t.Context())
		return err == nil && state.Subscriptions == 0
	})
}
