package cli

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/publish/desk/users"
	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/store/feed"
)

func newUser() *cobra.Command {
	var role string
	add := call[people.User]{
		use: "add NAME", short: "Add an account and print a one-time link to choose its password", path: "users",
		body:  func(args []string) any { return map[string]string{"name": args[0], "role": role} },
		print: printUser,
	}.command()
	add.Flags().StringVar(&role, "role", string(feed.RoleEditor), "member (reads what it follows), viewer (read-only access), editor (also publishes articles and manages sources) "+
		"or admin (everything)")
	action := func(name, short string) *cobra.Command {
		return call[people.User]{use: name + " NAME", short: short, path: "users/%s/" + name, print: printUser}.command()
	}
	return withServer(group("user", "Manage accounts",
		add,
		list[feed.Account]{
			use: "list", short: "List the accounts", path: "users",
			columns: []string{"NAME", "ROLE", "STATE", "CREATED", "LAST SIGN-IN"},
			print: func(w io.Writer, a *feed.Account) {
				row(w, a.Name, a.Role, accountState(a), terminal.Ago(a.Created), terminal.Ago(a.LastSignIn))
			},
		}.command(),
		call[people.User]{
			use: "role NAME ROLE", short: "Change the role of an account to member, viewer, editor or admin", path: "users/%s/role",
			body:  func(args []string) any { return map[string]string{"role": args[1]} },
			print: printUser,
		}.command(),
		action("disable", "Disable an account, end its sessions and revoke its tokens"),
		action("enable", "Enable a disabled account"),
		action("reset", "Create a one-time link to choose a new password, and end older links"),
		call[people.NewInvitation]{
			use: "invite", short: "Print a link with which one person makes an account that reads at /read", path: "invitations",
			long: `Print a link with which one person makes an account with the role member. The link is shown once and is valid for 7 days. It
requires people.sign_up: invited or open.`,
			print: func(w io.Writer, i *people.NewInvitation, _ []string) {
				row(w, "invitation", i.ID)
				row(w, "expires", terminal.Ago(i.Expires))
				row(w, "link", i.Link)
			},
		}.command(),
		list[feed.Invitation]{
			use: "invitations", short: "List the open invitations", path: "invitations",
			columns: []string{"ID", "BY", "CREATED", "EXPIRES"},
			print: func(w io.Writer, i *feed.Invitation) {
				row(w, i.ID, i.Creator, terminal.Ago(i.Created), terminal.Ago(i.Expires))
			},
		}.command(),
		&cobra.Command{Use: "uninvite ID", Short: "Revoke an invitation", RunE: func(cmd *cobra.Command, args []string) error {
			return echo(cmd, http.MethodDelete, "invitations/%s", args, "revoked", "revoked")
		}},
		call[people.User]{
			use: "remove NAME", short: "Remove an account, end its sessions and revoke its tokens", method: http.MethodDelete, path: "users/%s",
			print: func(w io.Writer, u *people.User, _ []string) {
				row(w, "removed", u.Name)
				printRevoked(w, u)
			},
		}.command(),
	))
}

func accountState(a *feed.Account) string {
	if a.Disabled {
		return "disabled"
	}
	return "active"
}

func printUser(w io.Writer, u *people.User, _ []string) {
	row(w, "name", u.Name)
	row(w, "role", u.Role)
	row(w, "state", accountState(&u.Account))
	if u.Link != "" {
		row(w, "link", u.Link)
		fmt.Fprintln(w, "The link is valid for one hour and one use. Give it only to "+u.Name+".")
	}
	printRevoked(w, u)
}

func printRevoked(w io.Writer, u *people.User) {
	for i := range u.Revoked {
		t := &u.Revoked[i]
		row(w, "revoked token", t.Name+" ("+t.ID+")", scopesText(t.Scopes))
	}
}

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
	create.Flags().StringArrayVar(&scopes, "scope", []string{string(feed.ScopeRead)}, "scope: read, follows, posts, publish, entries, sources, signals or admin; repeatable")
	create.Flags().DurationVar(&lasts, "lasts", 90*24*time.Hour, "lifetime of the token; 0 means unlimited")
	return withServer(group("token", "Manage API tokens for programs",
		create,
		list[feed.Token]{
			use: "list", short: "List the tokens without their secrets", path: "tokens",
			columns: []string{"ID", "NAME", "MAY", "ENDS", "LAST USED", "MADE BY"},
			print: func(w io.Writer, t *feed.Token) {
				row(w, t.ID, t.Name, scopesText(t.Effective), tokenEnd(t), terminal.Ago(t.LastUsed), t.Creator)
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
