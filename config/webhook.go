package config

import (
	"net/url"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// webhookOptions is one item of the list webhooks.
func webhookOptions() []option[Webhook] {
	return []option[Webhook]{
		{"url", "",
			"The URL that receives signals by POST. Required. Its path may be a secret: only the host is shown.",
			func(w *Webhook) value { return secret(&w.URL, "URL", callbackURL, maskPath) }},
		{"kinds", "[]",
			"The signals to send: feed_created, feed_modified, post_created, post_modified. If empty, all.",
			func(w *Webhook) value {
				return listOf(&w.Kinds, "kinds of signals", signalKind, func(k feed.SignalKind) string { return string(k) })
			}},
		{"source", "",
			"The URL of the only source whose signals are sent. If empty, all sources.",
			func(w *Webhook) value { return canonicalURL(&w.Source) }},
		{"secret", "",
			"The signing secret: whsec_ and 24 to 64 bytes in base64. If empty, the daemon creates one when it first sees the " +
				"webhook; feedwire webhook add with the same URL and choices replaces it and prints the new one.",
			func(w *Webhook) value { return secret(&w.Secret, "text", webhookSecret, hide) }},
		{"secret_file", "",
			"A file with the secret, instead of secret.",
			func(w *Webhook) value { return secretFile(&w.Secret, webhookSecret) }},
	}
}

// webhookList is the webhooks by their URLs alone; each gets all signals.
func webhookList(p *[]Webhook) value {
	return listOf(p, "URLs", func(s string) (Webhook, *Problem) {
		w := newWebhook()
		w.URL = Secret{text: s}
		return w, callbackURL(s)
	}, func(w Webhook) string { return maskPath(w.URL.Reveal()) })
}

// newWebhook is a webhook with all defaults.
func newWebhook() Webhook {
	var w Webhook
	setDefaults(&w, webhookOptions(), "")
	return w
}

// callbackURL checks where signals are sent. It may be a secret, so no message repeats it.
func callbackURL(s string) *Problem {
	if err := feed.CheckCallback(s); err != nil {
		return wrong(strings.TrimPrefix(err.Error(), feed.ErrInvalid.Error()+": "), "write it like https://example.org/hook")
	}
	return nil
}

// hubURL is callbackURL for one of a list.
func hubURL(s string) (string, *Problem) { return s, callbackURL(s) }

// maskPath is a URL without what may be secret in it.
func maskPath(s string) string {
	u, err := url.Parse(s)
	if err != nil || s == "" {
		return hide(s)
	}
	if u.Path == "" && u.RawQuery == "" {
		return s
	}
	return u.Scheme + "://" + u.Host + "/" + mask
}

func webhookSecret(s string) *Problem {
	if _, err := feed.WebhookKey(s); err != nil {
		return wrong("this is not the secret of a webhook", "write whsec_ and 24 to 64 bytes in base64, or leave it out to have one made")
	}
	return nil
}

// signalKind accepts the name of a kind of signals.
func signalKind(s string) (feed.SignalKind, *Problem) {
	kinds := make([]string, 0, 4)
	for _, k := range feed.SignalKinds() {
		if string(k) == s {
			return k, nil
		}
		kinds = append(kinds, string(k))
	}
	return "", wrong(quote(s)+" is not a kind of signals", "use some of "+strings.Join(kinds, ", "))
}
