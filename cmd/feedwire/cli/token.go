package cli

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/publish/desk/users"
	"github.com/feedwire/feedwire/store/feed"
)

func newToken() *cobra.Command {
	cmd := group("token", "Manage API tokens for programs", newTokenCreate(), newTokenList(),
		newRemove("revoke ID", "Revoke a token", "tokens"))
	clientFlags(cmd)
	return cmd
}

func newTokenCreate() *cobra.Command {
	var scopes []string
	var lasts time.Duration
	cmd := &cobra.Command{
		Use:   "create NAME",
		Short: "Create a token and print it once",
		Long: `Create a token and print it. The token is shown only once. NAME describes its purpose.

Programs send it as "Authorization: Bearer TOKEN". feedwire commands read it from the file in --api-token-file.`,
		Example: `  feedwire token create nightly-report --scope read --lasts 720h`,
		Args:    exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			body := map[string]any{"name": args[0], "scopes": scopes, "lasts": lasts.String()}
			t, err := request[users.NewToken](cmd, http.MethodPost, "/api/v1/tokens", body)
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
	cmd.Flags().StringArrayVar(&scopes, "scope", []string{string(feed.ScopeRead)}, "permission: read, publish, sources, signals or admin; repeatable")
	cmd.Flags().DurationVar(&lasts, "lasts", 90*24*time.Hour, "lifetime of the token; 0 means unlimited")
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
	return terminal.Ago(t.Expires, now)
}

func newTokenList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the tokens without their secrets",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := fetchAll[feed.Token](cmd, "/api/v1/tokens")
			if err != nil {
				return err
			}
			now := time.Now()
			return show(cmd, all, func(w io.Writer) {
				row(w, "ID", "NAME", "MAY", "ENDS", "LAST USED", "MADE BY")
				for _, t := range all {
					row(w, t.ID, t.Name, scopesText(t.Scopes), endText(&t, now), terminal.Ago(t.LastUsed, now), t.Creator)
				}
			})
		},
	}
}

func newAudit() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "List changes by people and programs, the newest first",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path := "/api/v1/audit?" + url.Values{"limit": {strconv.Itoa(limit)}}.Encode()
			page, err := request[feed.Page[feed.AuditEntry]](cmd, http.MethodGet, path, nil)
			if err != nil {
				return err
			}
			now := time.Now()
			return show(cmd, page.Items, func(w io.Writer) {
				row(w, "WHEN", "WHO", "DID", "ON", "BEFORE", "AFTER", "FROM")
				for _, e := range page.Items {
					row(w, terminal.Ago(e.Time, now), e.Who, e.Action, terminal.Cut(e.Object.String(), 60), terminal.Cut(e.Before, 40), terminal.Cut(e.After, 40), e.From)
				}
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 50, "maximum number of changes, up to 200")
	clientFlags(cmd)
	return cmd
}
