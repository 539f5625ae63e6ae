//go:build !race

package daemon

import (
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
	"github.com/feedwire/feedwire/publish/desk/hub"
	"github.com/feedwire/feedwire/store/feed"
)

func TestHubCommands(t *testing.T) {
	t.Parallel()
	d, _, src := startFor(t)
	sub := subscribeTo(t, d, src, "127.0.0.1:1")
	for _, c := range []struct {
		args []string
		says []string
	}{
		{[]string{"status"}, []string{"subscriptions", "dead letters"}},
		{[]string{"topics"}, []string{src.URL}},
		{[]string{"topic", src.URL}, []string{"subscribers  1", "CAUSES", "DAY"}},
		{[]string{"topic", src.ID}, []string{src.URL}},
		{[]string{"list"}, []string{sub.ID, "active", "websub", "127.0.0.1:1/…", "in 9d", src.URL}},
		{[]string{"list", "--topic", src.URL}, []string{sub.ID}},
		{[]string{"pause", sub.ID}, []string{"paused " + sub.ID}},
		{[]string{"list"}, []string{"paused"}},
		{[]string{"resume", sub.ID}, []string{"resumed " + sub.ID}},
		{[]string{"dead"}, []string{"FAILED"}},
	} {
		out := must(t, append([]string{"hub"}, c.args...)...)
		for _, want := range c.says {
			if !strings.Contains(out, want) {
				t.Errorf("hub %v does not say %q:\n%s", c.args, want, out)
			}
		}
		if strings.Contains(out, hidden) {
			t.Errorf("hub %v shows the callback:\n%s", c.args, out)
		}
	}
	if out := must(t, "hub", "show", sub.ID); !strings.Contains(out, sub.Callback) || strings.Contains(out, "s3cret") {
		t.Errorf("hub show says:\n%s", out)
	}
	fails(t, cli.ExitFailed, "the topic has no version yet", "hub", "resend", sub.ID)
	if out := must(t, "hub", "deny", sub.ID, "--reason", "no more"); !strings.Contains(out, "denied "+sub.ID) || strings.Contains(out, hidden) {
		t.Errorf("hub deny says:\n%s", out)
	}
	fails(t, cli.ExitFailed, "not found", "hub", "show", "none")
	fails(t, cli.ExitFailed, "not found", "hub", "replay", "1-0")
	fails(t, cli.ExitUsage, "", "hub", "show")
}

func TestWebhookCommands(t *testing.T) {
	t.Parallel()
	_, web, src := startFor(t)
	url := web.URL + "/hook?k=" + hidden
	hook := mustJSON[hub.Webhook](t, "webhook", "add", url, "--kind", "post_created", "--source", src.URL)
	if _, err := feed.WebhookKey(hook.Secret); err != nil || hook.Source != src.URL {
		t.Errorf("added %+v, %v", hook, err)
	}
	out := must(t, "webhook", "list")
	if !strings.Contains(out, hook.ID) || !strings.Contains(out, "signals post_created of "+src.URL) || strings.Contains(out, hidden) {
		t.Errorf("listed:\n%s", out)
	}
	must(t, "webhook", "remove", hook.ID)
	fails(t, cli.ExitFailed, "not found", "webhook", "remove", hook.ID)
	fails(t, cli.ExitFailed, "unknown kind", "webhook", "add", url, "--kind", "post_renamed")
	fails(t, cli.ExitFailed, "no such file", "webhook", "add", url, "--secret-file", "/nonexistent")
}
