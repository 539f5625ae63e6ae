package cli

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/publish/desk/users"
	"github.com/feedwire/feedwire/store/feed"
)

func newUser() *cobra.Command {
	cmd := group("user", "Manage accounts",
		newUserAdd(), newUserList(), newUserRole(),
		newUserAction("disable", "Disable an account and end its sessions"),
		newUserAction("enable", "Enable a disabled account"),
		newUserAction("reset", "Create a one-time link to choose a new password"),
	)
	clientFlags(cmd)
	return cmd
}

func newUserAdd() *cobra.Command {
	var role string
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Add an account and print a one-time link to choose its password",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			u, err := request[users.User](cmd, http.MethodPost, "/api/v1/users", map[string]string{"name": args[0], "role": role})
			if err != nil {
				return err
			}
			return showUser(cmd, &u)
		},
	}
	cmd.Flags().StringVar(&role, "role", string(feed.RoleEditor), "viewer (read-only access), editor (also publishes and manages sources) or admin (everything)")
	return cmd
}

func newUserList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the accounts",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := fetchAll[feed.Account](cmd, "/api/v1/users")
			if err != nil {
				return err
			}
			now := time.Now()
			return show(cmd, all, func(w io.Writer) {
				row(w, "NAME", "ROLE", "STATE", "CREATED", "LAST SIGN-IN")
				for _, a := range all {
					row(w, a.Name, string(a.Role), accountState(&a), terminal.Ago(a.Created, now), terminal.Ago(a.LastSignIn, now))
				}
			})
		},
	}
}

func accountState(a *feed.Account) string {
	if a.Disabled {
		return "disabled"
	}
	return "active"
}

func newUserRole() *cobra.Command {
	return &cobra.Command{
		Use:   "role NAME ROLE",
		Short: "Change the role of an account to viewer, editor or admin",
		Args:  exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			u, err := request[users.User](cmd, http.MethodPost, "/api/v1/users/"+client.Path(args[0])+"/role", map[string]string{"role": args[1]})
			if err != nil {
				return err
			}
			return showUser(cmd, &u)
		},
	}
}

// newUserAction returns a command that applies one action to an account.
func newUserAction(action, short string) *cobra.Command {
	return &cobra.Command{
		Use:   action + " NAME",
		Short: short,
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			u, err := request[users.User](cmd, http.MethodPost, "/api/v1/users/"+client.Path(args[0])+"/"+action, nil)
			if err != nil {
				return err
			}
			return showUser(cmd, &u)
		},
	}
}

func showUser(cmd *cobra.Command, u *users.User) error {
	return show(cmd, u, func(w io.Writer) {
		row(w, "name", u.Name)
		row(w, "role", string(u.Role))
		row(w, "state", accountState(&u.Account))
		if u.Link != "" {
			row(w, "link", u.Link)
			fmt.Fprintln(w, "The link is valid for one hour and one use. Give it only to "+u.Name+".")
		}
	})
}
