package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/store/feed"
)

const webhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func TestWebhooksAreReadAndTheirURLsHidden(t *testing.T) {
	c := mustLoad(t, `
hub:
  ping: [https://hub.example.org/publish]
webhooks:
  - url: https://a.example.org/hook/9f3k?k=x7q
    kinds: [post_created, post_modified]
    source: HTTPS://blog.example.org
    secret: `+webhookSecret+`
  - https://b.example.org/9f3k
`, nil)
	if len(c.Webhooks) != 2 || len(c.Hub.Ping) != 1 {
		t.Fatalf("got %d webhooks and the hubs %v", len(c.Webhooks), c.Hub.Ping)
	}
	first := &c.Webhooks[0]
	want := feed.SignalFilter{Kinds: []feed.SignalKind{feed.PostCreated, feed.PostModified}, Source: "https://blog.example.org/"}
	if diff := cmp.Diff(want, first.Filter()); diff != "" || first.Secret.Reveal() != webhookSecret ||
		first.URL.Reveal() != "https://a.example.org/hook/9f3k?k=x7q" {
		t.Errorf("the first is %s (-want +got):\n%s", first.URL.Reveal(), diff)
	}
	if all := c.Webhooks[1].Filter(); len(all.Kinds) != 0 || c.Webhooks[1].Secret.Reveal() != "" {
		t.Errorf("the second takes %v", all)
	}
	text := shown(t, c)
	if strings.Contains(text, "9f3k") || strings.Contains(text, "x7q") || strings.Contains(text, webhookSecret) ||
		!strings.Contains(text, "https://a.example.org/••••") {
		t.Errorf("shown is\n%s", text)
	}
}

func TestWebhooksFromTheEnvironmentTakeThePlaceOfTheFile(t *testing.T) {
	c := mustLoad(t, "webhooks: [https://a.example.org/, https://b.example.org/]", []string{"FEEDWIRE_WEBHOOKS=https://c.example.org/9f3k"})
	if len(c.Webhooks) != 1 || c.Webhooks[0].URL.Reveal() != "https://c.example.org/9f3k" {
		t.Errorf("got %d webhooks", len(c.Webhooks))
	}
	if text := shown(t, c); strings.Contains(text, "9f3k") {
		t.Errorf("shown is\n%s", text)
	}
}

func TestWebhooksThatCannotWorkAreRefused(t *testing.T) {
	for content, want := range map[string]string{
		"webhooks:\n  - kinds: post_created":                                                              "a webhook needs a url",
		"webhooks:\n  - ftp://9f3k.example.org/":                                                          "starts with http:// or https://",
		"webhooks:\n  - url: https://a.example.org/\n    kinds: [post_gone]":                              "is not a kind of signals",
		"webhooks:\n  - url: https://a.example.org/\n    secret: 9f3k":                                    "is not the secret of a webhook",
		"webhooks:\n  - https://a.example.org/9f3k\n  - url: https://a.example.org/9f3k":                  "appears twice",
		"webhooks: https://a.example.org/":                                                                "not a list",
		"webhooks: [[]]":                                                                                  "not a webhook",
		"hub: {ping: [hub.example.org]}":                                                                  "starts with http:// or https://",
		"webhooks:\n  - {url: https://a.example.org/, secret: " + webhookSecret + ", secret_file: /9f3k}": "twice",
	} {
		_, err := load(t, content, nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "9f3k") {
			t.Errorf("%s: got %v, want %q", content, err, want)
		}
	}
}
