package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/store/feed"
)

func newVote() *cobra.Command {
	var user string
	cmd := &cobra.Command{
		Use: "vote NUMBER up|down|none", Short: "Vote on an entry",
		Long:    `Vote on an entry, and print its score. The vote replaces the one before; "none" takes it back.`,
		Example: `  feedwire vote 5 up --user ann`,
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "entries/" + client.Path(args[0]) + "/vote"
			if user != "" {
				path += "?" + url.Values{"user": {user}}.Encode()
			}
			score, err := request[feed.Score](cmd, http.MethodPut, path, map[string]string{"vote": args[1]})
			if err != nil {
				return err
			}
			return show(cmd, score, func(w io.Writer) { fmt.Fprintf(w, "votes %d, score %.0f\n", score.Votes, score.Score) })
		},
	}
	cmd.Flags().StringVar(&user, "user", "", "account (default: that of the token); requires the scope admin for another one")
	return withServer(cmd)
}

func newGroup() *cobra.Command {
	change := func(use, short, method, did string) *cobra.Command {
		return &cobra.Command{Use: use + " GROUP NUMBER", Short: short, RunE: func(cmd *cobra.Command, args []string) error {
			return echo(cmd, method, "groups/"+client.Path(args[0])+"/entries/%s", args[1:], did, did)
		}}
	}
	return withServer(group("group", "Group entries, and list them by votes",
		list[feed.Group]{
			use: "list", short: "List the groups", path: "groups",
			columns: []string{"GROUP"},
			print:   func(w io.Writer, g *feed.Group) { row(w, g.Name) },
		}.command(),
		showRanked("show GROUP", "List the entries of a group, best first",
			`List the entries of a group by score, best first. The group "score" has all entries with votes or groups; "time" has them by time.`),
		change("add", "Add an entry to a group, which exists from then on", http.MethodPut, "added"),
		change("remove", "Remove an entry from a group", http.MethodDelete, "removed"),
		&cobra.Command{Use: "delete GROUP", Short: "Delete a group; its entries stay", RunE: func(cmd *cobra.Command, args []string) error {
			return echo(cmd, http.MethodDelete, "groups/%s", args, "deleted", "deleted")
		}},
	))
}
