package cli

import (
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/publish/desk/users"
	"github.com/feedwire/feedwire/store/feed"
)

func newToken() *cobra.Command {
	var scopes []string
	var lasts time.Duration
	create := call[users.NewToken]{
		use: "create NAME", short: "Create a token and print it once",
		long: `Create a token and print it. The token is shown only once. NAME describes its purpose.

Programs send it as "Authorization: Bearer TOKEN". feedwire commands read it from the file in --api-token-file.`,
		example: `  feedwire token create nightly-report --scope read --lasts 720h`,
		path:    "tokens",
		body: func(args []string) any {
			return map[string]any{"name": args[0], "scopes": scopes, "lasts": lasts.String()}
		},
		print: func(w io.Writer, t *users.NewToken, _ []string) {
			row(w, "id", t.ID)
			row(w, "may", scopesText(t.Scopes))
			row(w, "ends", tokenEnd(&t.Token))
			row(w, "token", t.Text)
		},
	}.command()
	create.Flags().StringArrayVar(&scopes, "scope", []string{string(feed.ScopeRead)}, "scope: read, publish, sources, signals or admin; repeatable")
	create.Flags().DurationVar(&lasts, "lasts", 90*24*time.Hour, "lifetime of the token; 0 means unlimited")
	return withServer(group("token", "Manage API tokens for programs",
		create,
		list[feed.Token]{
			use: "list", short: "List the tokens without their secrets", path: "tokens",
			columns: []string{"ID", "NAME", "MAY", "ENDS", "LAST USED", "MADE BY"},
			print: func(w io.Writer, t *feed.Token) {
				row(w, t.ID, t.Name, scopesText(t.Scopes), tokenEnd(t), terminal.Ago(t.LastUsed), t.Creator)
			},
		}.command(),
		newRemove("revoke ID", "Revoke a token", "tokens"),
	))
}

func scopesText(scopes []feed.Scope) string {
	texts := make([]string, len(scopes))
	for i, s := range scopes {
		texts[i] = string(s)
	}
	return strings.Join(texts, ", ")
}

func tokenEnd(t *feed.Token) string {
	if t.Expires.IsZero() {
		return "never"
	}
	return terminal.Ago(t.Expires)
}

func newAudit() *cobra.Command {
	return withServer(list[feed.AuditEntry]{
		use: "audit", short: "List changes by people and programs, newest first", path: "audit",
		limit:   "maximum number of changes, up to 200",
		columns: []string{"WHEN", "WHO", "DID", "ON", "BEFORE", "AFTER", "FROM"},
		print: func(w io.Writer, e *feed.AuditEntry) {
			row(w, terminal.Ago(e.Time), e.Who, e.Action, terminal.Cut(e.Object.String(), 60), terminal.Cut(e.Before, 40), terminal.Cut(e.After, 40), e.From)
		},
	}.command())
}
