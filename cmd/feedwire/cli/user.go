package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
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
	add.Flags().StringVar(&role, "role", string(feed.RoleEditor), "viewer (read-only access), editor (also publishes articles and manages sources) or admin (everything)")
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
			use: "role NAME ROLE", short: "Change the role of an account to viewer, editor or admin", path: "users/%s/role",
			body:  func(args []string) any { return map[string]string{"role": args[1]} },
			print: printUser,
		}.command(),
		action("disable", "Disable an account and end its sessions"),
		action("enable", "Enable a disabled account"),
		action("reset", "Create a one-time link to choose a new password"),
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
}
