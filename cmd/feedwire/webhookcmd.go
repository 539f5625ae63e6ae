package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/publish/desk"
	"github.com/feedwire/feedwire/store/feed"
)

func newWebhook() *cobra.Command {
	cmd := group("webhook", "Have signals sent to a URL of yours as JSON",
		newWebhookAdd(), newWebhookList(), newRemove("remove ID", "Send nothing more to a webhook", "webhooks"), newWebhookTest())
	clientFlags(cmd)
	return cmd
}

func newWebhookAdd() *cobra.Command {
	var kinds []string
	var source, secretFile string
	cmd := &cobra.Command{
		Use:   "add URL",
		Short: "Send signals to a URL from now on",
		Long: `Send signals to a URL from now on, each as a POST of JSON that is signed as Standard Webhooks says. The secret is shown
once. Adding a URL again with the same filter gives it another secret.`,
		Args: exactly(1),
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
			hook, err := answerTo[desk.Webhook](cmd, http.MethodPost, "/api/v1/webhooks", body)
			if err != nil {
				return err
			}
			return show(cmd, hook, func(w io.Writer) {
				row(w, "webhook", hook.ID)
				row(w, "gets", signalsOf(&hook))
				row(w, "secret", hook.Secret)
			})
		},
	}
	cmd.Flags().StringArrayVar(&kinds, "kind", nil, "only signals of this kind: feed_created, feed_modified, post_created or post_modified; may be repeated")
	cmd.Flags().StringVar(&source, "source", "", "only signals of this source, by its URL")
	cmd.Flags().StringVar(&secretFile, "secret-file", "", "file with the secret, whsec_… (default: one is made)")
	return cmd
}

// signalsOf tells which signals a webhook gets.
func signalsOf(hook *desk.Webhook) string {
	return feed.SignalFilter{Kinds: hook.Kinds, Source: hook.Source}.String()
}

func newWebhookList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the webhooks with their state",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := listAll[desk.Webhook](cmd, "/api/v1/webhooks")
			if err != nil {
				return err
			}
			now := time.Now()
			return show(cmd, all, func(w io.Writer) {
				row(w, "ID", "STATE", "CALLBACK", "LAST ANSWER", "NEXT TRY", "GETS")
				for _, hook := range all {
					row(w, hook.ID, hook.State, hook.Callback, lastAnswer(&hook.Health), nextTry(&hook.HubSubscription, now), signalsOf(&hook))
				}
			})
		},
	}
}

func newWebhookTest() *cobra.Command {
	return &cobra.Command{
		Use:   "test ID",
		Short: "Send a webhook a message of type \"test\" now, and tell how it was taken",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			got, err := answerTo[desk.WebhookTest](cmd, http.MethodPost, "/api/v1/webhooks/"+id(args[0])+"/test", nil)
			if err != nil {
				return err
			}
			if !got.Taken {
				return fmt.Errorf("the webhook did not take it: %s", answerText(&got))
			}
			return show(cmd, got, func(w io.Writer) { fmt.Fprintln(w, "taken:", answerText(&got)) })
		},
	}
}

// answerText is how a webhook answered.
func answerText(t *desk.WebhookTest) string {
	switch {
	case t.Status != 0:
		return fmt.Sprintf("%d %s", t.Status, http.StatusText(t.Status))
	case t.Reason == "blocked":
		return "its address is not public; if that network is yours, add it to fetch.allow_networks"
	case t.Reason == "timeout":
		return "its server does not answer in time"
	}
	return "its server cannot be reached"
}
