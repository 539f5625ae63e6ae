package main

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/publish/desk"
	"github.com/feedwire/feedwire/store/feed"
)

func newUser() *cobra.Command {
	cmd := group("user", "Say who may sign in, and what they may do",
		newUserAdd(), newUserList(), newUserRole(),
		newUserAction("disable", "Let somebody in no more, and end their sessions"),
		newUserAction("enable", "Let somebody in again"),
		newUserAction("reset", "Make a one-time link by which somebody chooses a new password"),
	)
	clientFlags(cmd)
	return cmd
}

func newUserAdd() *cobra.Command {
	var role string
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Add an account, and print the one-time link by which its password is chosen",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			u, err := answerTo[desk.User](cmd, http.MethodPost, "/api/v1/users", map[string]string{"name": args[0], "role": role})
			if err != nil {
				return err
			}
			return showUser(cmd, &u)
		},
	}
	cmd.Flags().StringVar(&role, "role", string(feed.RoleEditor), "reader (sees), editor (publishes, looks after sources) or admin (everything)")
	return cmd
}

func newUserList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the accounts",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := listAll[feed.Account](cmd, "/api/v1/users")
			if err != nil {
				return err
			}
			now := time.Now()
			return show(cmd, all, func(w io.Writer) {
				row(w, "NAME", "ROLE", "STATE", "CREATED", "LAST SIGN-IN")
				for _, a := range all {
					row(w, a.Name, string(a.Role), stateOf(&a), ago(a.Created, now), ago(a.LastSignIn, now))
				}
			})
		},
	}
}

func stateOf(a *feed.Account) string {
	if a.Disabled {
		return "disabled"
	}
	return "active"
}

func newUserRole() *cobra.Command {
	return &cobra.Command{
		Use:   "role NAME ROLE",
		Short: "Change what somebody may do: reader, editor or admin",
		Args:  exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			u, err := answerTo[desk.User](cmd, http.MethodPost, "/api/v1/users/"+id(args[0])+"/role", map[string]string{"role": args[1]})
			if err != nil {
				return err
			}
			return showUser(cmd, &u)
		},
	}
}

// newUserAction makes a command that does one thing to an account.
func newUserAction(action, short string) *cobra.Command {
	return &cobra.Command{
		Use:   action + " NAME",
		Short: short,
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			u, err := answerTo[desk.User](cmd, http.MethodPost, "/api/v1/users/"+id(args[0])+"/"+action, nil)
			if err != nil {
				return err
			}
			return showUser(cmd, &u)
		},
	}
}

func showUser(cmd *cobra.Command, u *desk.User) error {
	return show(cmd, u, func(w io.Writer) {
		row(w, "name", u.Name)
		row(w, "role", string(u.Role))
		row(w, "state", stateOf(&u.Account))
		if u.Link != "" {
			row(w, "link", u.Link)
			fmt.Fprintln(w, "It holds for an hour and for one use. Hand it to "+u.Name+" only.")
		}
	})
}
