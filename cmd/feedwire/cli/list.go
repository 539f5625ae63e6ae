package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/store/feed"
)

func newList() *cobra.Command {
	return withServer(group("list", "Read lists of entries",
		list[feed.EntryList]{
			use: "list", short: "List the lists", path: "lists",
			columns: []string{"LIST", "KIND", "TITLE"},
			print:   func(w io.Writer, l *feed.EntryList) { row(w, l.Name, l.Kind, l.Title) },
		}.command(),
		showRanked("show LIST", "List the entries of a list, best first", ""),
	))
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
