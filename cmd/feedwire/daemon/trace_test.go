//go:build !race

package daemon

import (
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestTracePrintsThePoll(t *testing.T) {
	t.Parallel()
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", wiretest.Posts(3)...)
	d := start(t, storetest.RedisAOF(t), "")
	src := d.add(web.URL+"/feed.xml", map[string]any{"request": map[string]any{"headers": map[string]string{"X-Key": "s3cret"}}})
	web.Set("/feed.xml", append(wiretest.Posts(2), wiretest.Post("p2", "Post 2, edited", "<p>Body of post 2.</p>"), wiretest.Post("p3", "Post 3", "x"))...)

	table, errs, code := d.cli("", "source", "poll", "--trace", src.URL)
	if code != cli.ExitOK {
		t.Fatalf("%d %s", code, errs)
	}
	out := strings.Join(strings.Fields(table), " ")
	for _, want := range []string{
		"conditional", "address 127.0.0.1", "If-None-Match", "X-Key: (hidden)", "200 OK", "entries: 4",
		"new Post 3", "changed Post 2, edited p2: its guid is known and differs in title", "same Post 0", "next poll in ", "adaptive interval",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the trace does not say %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "s3cret") {
		t.Errorf("the trace holds a secret:\n%s", out)
	}
	if got := d.poll(src); len(got.Polls) != 3 || got.Polls[1].New != 1 || got.Polls[1].Modified != 1 {
		t.Errorf("the history is %+v", got.Polls)
	}
}

func TestSourceShowPrintsPaceAndAdvice(t *testing.T) {
	t.Parallel()
	web := wiretest.NewOrigin(t)
	d := start(t, storetest.RedisAOF(t), "")
	web.Page("/page")
	src := d.add(web.URL+"/page", nil)
	out, errs, code := d.cli("", "source", "show", src.ID)
	if code != cli.ExitOK {
		t.Fatalf("%d %s", code, errs)
	}
	for _, want := range []string{"  rate", "  floor", "1 in a row: 1h0m0s", "(not_a_feed, 1 in a row)", "advice", "feedwire source add"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	if _, status, html := d.signUp(t, "ann").sees("/sources/" + src.ID); !strings.Contains(html, "Posting rate") {
		t.Errorf("the page does not tell the pace: %d", status)
	}
}
