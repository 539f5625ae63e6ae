package cli

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/publish/desk/hub"
	"github.com/feedwire/feedwire/store/feed"
)

func newWebhook() *cobra.Command {
	return withServer(group("webhook", "Manage webhooks, which receive signals as JSON",
		newWebhookAdd(),
		list[hub.Webhook]{
			use: "list", short: "List the webhooks", path: "webhooks",
			columns: []string{"ID", "STATE", "CALLBACK", "LAST RESPONSE", "NEXT TRY", "SIGNALS"},
			print: func(w io.Writer, h *hub.Webhook) {
				row(w, h.ID, h.State, h.Callback, lastResponse(&h.Health), nextTry(&h.Subscription), filterText(h))
			},
		}.command(),
		newRemove("remove ID", "Remove a webhook", "webhooks"),
		call[hub.WebhookTest]{
			use: "test ID", short: "Send a test message to a webhook and print the response", path: "webhooks/%s/test",
			check: func(t *hub.WebhookTest) error {
				if !t.Taken {
					return fmt.Errorf("the webhook rejected the test message: %s", testResult(t))
				}
				return nil
			},
			print: func(w io.Writer, t *hub.WebhookTest, _ []string) { fmt.Fprintln(w, "accepted:", testResult(t)) },
		}.command(),
	))
}

func newWebhookAdd() *cobra.Command {
	var kinds []string
	var source, secretFile string
	cmd := &cobra.Command{
		Use:   "add URL",
		Short: "Send signals to a URL",
		Long: `Send signals to a URL as JSON, by POST requests signed according to Standard Webhooks. The secret is shown only once. Adding a
URL again with the same filter replaces its secret.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			body := map[string]any{"url": args[0], "source": source}
			if len(kinds) > 0 {
				body["kinds"] = kinds
			}
			if secretFile != "" {
				text, err := os.ReadFile(secretFile)
				if err != nil {
					return fmt.Errorf("secret: %w", err)
				}
				body["secret"] = strings.TrimSpace(string(text))
			}
			return call[hub.Webhook]{
				path: "webhooks", body: func([]string) any { return body },
				print: func(w io.Writer, hook *hub.Webhook, _ []string) {
					row(w, "webhook", hook.ID)
					row(w, "signals", filterText(hook))
					row(w, "secret", hook.Secret)
				},
			}.run(cmd, args)
		},
	}
	cmd.Flags().StringArrayVar(&kinds, "kind", nil, "signals of this kind: feed_created, feed_modified, post_created, post_modified, post_deleted, comment_created, entry_voted or list_modified; repeatable (default: those of sources and posts, feed_… and post_…)")
	cmd.Flags().StringVar(&source, "source", "", "signals of the source with this URL")
	cmd.Flags().StringVar(&secretFile, "secret-file", "", "file with the secret, whsec_… (default: generated)")
	return cmd
}

// filterText describes which signals a webhook receives.
func filterText(hook *hub.Webhook) string {
	return feed.SignalFilter{Kinds: hook.Kinds, Source: hook.Source}.String()
}

// testResult describes the response of a webhook to a test.
func testResult(t *hub.WebhookTest) string {
	switch {
	case t.Status != 0:
		return fmt.Sprintf("%d %s", t.Status, http.StatusText(t.Status))
	case t.Reason == "blocked":
		return "the address is not public; if the network is yours, add it to fetch.allow_networks"
	case t.Reason == "timeout":
		return "the server did not respond in time"
	}
	return "the server cannot be reached"
}
