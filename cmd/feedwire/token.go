package main

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/publish/desk"
	"github.com/feedwire/feedwire/store/feed"
)

func newToken() *cobra.Command {
	cmd := group("token", "Let programs use the API, each within its scopes", newTokenCreate(), newTokenList(),
		newRemove("revoke ID", "Make a token open nothing any more", "tokens"))
	clientFlags(cmd)
	return cmd
}

func newTokenCreate() *cobra.Command {
	var scopes []string
	var lasts time.Duration
	cmd := &cobra.Command{
		Use:   "create NAME",
		Short: "Make a token and print it, the only time that it is shown",
		Long: `Make a token and print it, the only time that it is shown. NAME says what it is for. Programs send it as
"Authorization: Bearer ..."; the commands of feedwire read it with --api-token-file.`,
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			body := map[string]any{"name": args[0], "scopes": scopes, "lasts": lasts.String()}
			t, err := answerTo[desk.NewToken](cmd, http.MethodPost, "/api/v1/tokens", body)
			if err != nil {
				return err
			}
			return show(cmd, t, func(w io.Writer) {
				row(w, "id", t.ID)
				row(w, "may", scopesText(t.Scopes))
				row(w, "ends", endText(&t.Token, time.Now()))
				row(w, "token", t.Text)
			})
		},
	}
	cmd.Flags().StringArrayVar(&scopes, "scope", []string{string(feed.ScopeRead)}, "what it may do: read, publish, sources, signals or admin; may be repeated")
	cmd.Flags().DurationVar(&lasts, "lasts", 90*24*time.Hour, "how long it lasts; 0 is until it is revoked")
	return cmd
}

func scopesText(scopes []feed.Scope) string {
	texts := make([]string, len(scopes))
	for i, s := range scopes {
		texts[i] = string(s)
	}
	return strings.Join(texts, ", ")
}

func endText(t *feed.Token, now time.Time) string {
	if t.Expires.IsZero() {
		return "never"
	}
	return ago(t.Expires, now)
}

func newTokenList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the tokens, not what they are",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := listAll[feed.Token](cmd, "/api/v1/tokens")
			if err != nil {
				return err
			}
			now := time.Now()
			return show(cmd, all, func(w io.Writer) {
				row(w, "ID", "NAME", "MAY", "ENDS", "LAST USED", "MADE BY")
				for _, t := range all {
					row(w, t.ID, t.Name, scopesText(t.Scopes), endText(&t, now), ago(t.LastUsed, now), t.Creator)
				}
			})
		},
	}
}

func newAudit() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "List who changed what, the newest first",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path := "/api/v1/audit?" + url.Values{"limit": {strconv.Itoa(limit)}}.Encode()
			page, err := answerTo[feed.Page[feed.AuditEntry]](cmd, http.MethodGet, path, nil)
			if err != nil {
				return err
			}
			now := time.Now()
			return show(cmd, page.Items, func(w io.Writer) {
				row(w, "WHEN", "WHO", "DID", "ON", "BEFORE", "AFTER", "FROM")
				for _, e := range page.Items {
					row(w, ago(e.Time, now), e.Who, e.Action, cut(e.On, 60), cut(e.Before, 40), cut(e.After, 40), e.From)
				}
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 50, "how many, up to 200")
	clientFlags(cmd)
	return cmd
}
