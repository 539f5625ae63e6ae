package cli

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/store/feed"
)

// newInvitationTree returns the command that lists who invited an account, and whom it invited.
func newInvitationTree() *cobra.Command {
	return &cobra.Command{
		Use: "invitations ACCOUNT", Short: "List who invited an account, and whom it invited",
		RunE: func(cmd *cobra.Command, args []string) error {
			tree, err := wholeTree(cmd, objectPath("moderation/members/%s/invitations", args))
			if err != nil {
				return err
			}
			return show(cmd, tree, func(w io.Writer) {
				row(w, "PLACE", "ACCOUNT", "STATE", "KARMA", "SINCE")
				for i := range tree.Above {
					treeRow(w, fmt.Sprint("above ", i+1), &tree.Above[i])
				}
				treeRow(w, "account", &tree.Member)
				for i := range tree.Invited.Items {
					treeRow(w, "invited", &tree.Invited.Items[i])
				}
			})
		},
	}
}

// wholeTree fetches a tree with all pages of invited accounts.
func wholeTree(cmd *cobra.Command, path string) (tree feed.InvitationTree, err error) {
	query := url.Values{"limit": {"200"}}
	for {
		page, err := request[feed.InvitationTree](cmd, http.MethodGet, path+"?"+query.Encode(), nil)
		if err != nil {
			return tree, err
		}
		next := page.Invited.Next
		page.Invited = feed.Page[feed.TreeMember]{Items: append(tree.Invited.Items, page.Invited.Items...)}
		if tree = page; next == "" {
			return tree, nil
		}
		query.Set("cursor", next)
	}
}

func treeRow(w io.Writer, place string, m *feed.TreeMember) {
	row(w, place, cmp.Or(m.Account, fmt.Sprint("removed account ", m.AccountID)), m.State, m.Karma, terminal.Ago(m.Since))
}
