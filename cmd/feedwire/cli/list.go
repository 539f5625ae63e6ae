package cli

import (
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/store/feed"
)

func newList() *cobra.Command {
	return withServer(group("list", "Read lists of entries, and arrange them",
		list[feed.EntryList]{
			use: "list", short: "List the lists", path: "lists",
			columns: []string{"LIST", "KIND", "TITLE"},
			print:   func(w io.Writer, l *feed.EntryList) { row(w, l.Name, l.Kind, l.Title) },
		}.command(),
		showRanked("show LIST", "List the entries of a list, best first", ""),
		newListCreate(),
		newListPlace("add", "Add an entry to a list that editors arrange", "Add an entry to a list that editors arrange, at the top unless a flag names another place."),
		newListPlace("move", "Move an entry of a list that editors arrange", "Move an entry of a list that editors arrange to the place that a flag names."),
		&cobra.Command{
			Use: "remove LIST NUMBER", Short: "Remove an entry from a list that editors arrange", RunE: func(cmd *cobra.Command, args []string) error {
				return echo(cmd, http.MethodDelete, "lists/"+client.Path(args[0])+"/entries/%s", args[1:], "removed", "removed")
			},
		},
		&cobra.Command{
			Use: "delete LIST", Short: "Delete a list that editors arrange; its entries stay", RunE: func(cmd *cobra.Command, args []string) error {
				return echo(cmd, http.MethodDelete, "lists/%s", args, "deleted", "deleted")
			},
		},
	))
}

func newListCreate() *cobra.Command {
	var title, description, query string
	cmd := &cobra.Command{
		Use: "create LIST", Short: "Create a list that editors arrange, or save a search as a list",
		Long: `Create a list that editors arrange, or with --query a list of what a search finds, or change its title, description and query.`,
		Example: `  feedwire list create front-page --title "Front page"
  feedwire list create storms --title "Storms at the harbour" --query "storm harbour"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := request[feed.EntryList](cmd, http.MethodPut, objectPath("lists/%s", args), map[string]string{"title": title, "description": description, "query": query})
			if err != nil {
				return err
			}
			return show(cmd, list, func(w io.Writer) { fmt.Fprintf(w, "saved %s: %s\n", list.Name, list.Title) })
		},
	}
	cmd.Flags().StringVar(&title, "title", "", "title (default: the name)")
	cmd.Flags().StringVar(&description, "description", "", "description")
	cmd.Flags().StringVar(&query, "query", "", "what the list searches for; see feedwire search")
	return cmd
}

// newListPlace returns the command that adds an entry to a list, or moves it.
func newListPlace(name, short, long string) *cobra.Command {
	var to feed.ListTarget
	cmd := &cobra.Command{
		Use: name + " LIST NUMBER", Short: short, Long: long,
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := request[client.Raw](cmd, http.MethodPut, objectPath("lists/%s/entries/"+client.Path(args[1]), args), to); err != nil {
				return err
			}
			return show(cmd, map[string]string{"placed": args[1]}, func(w io.Writer) { fmt.Fprintln(w, "placed", args[1]) })
		},
	}
	cmd.Flags().StringVar(&to.Before, "before", "", "number of the entry that is to follow")
	cmd.Flags().IntVar(&to.Position, "position", 0, "position from 1; beyond the end is the end")
	if name == "move" {
		cmd.MarkFlagsOneRequired("before", "position")
	}
	return cmd
}

// showRanked returns the command that lists the entries of a list.
func showRanked(use, short, long string) *cobra.Command {
	return list[feed.Ranked]{
		use: use, short: short, long: long, path: "lists/%s",
		limit:   "maximum number of entries, up to 200",
		columns: []string{"ENTRY", "VOTES", "WHEN", "TITLE"},
		print: func(w io.Writer, e *feed.Ranked) {
			row(w, e.Entry.Number(), e.Votes, terminal.Ago(e.Entry.Timestamp), terminal.Cut(e.Entry.Title, 60))
		},
	}.command()
}
