package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/publish/readers"
	"github.com/feedwire/feedwire/store/feed"
)

// reader is the account that a command is about; "": that of the creator of the token.
type reader string

func (u *reader) addFlag(cmd *cobra.Command) {
	cmd.PersistentFlags().StringVar((*string)(u), "user", "", "account (default: that of the token); requires the scope admin for another one")
}

func (u *reader) query([]string) url.Values { return url.Values{"user": {string(*u)}} }

// of returns a path of the API with the account.
func (u *reader) of(path string) string {
	if *u != "" {
		path += "?" + u.query(nil).Encode()
	}
	return path
}

// newReading returns the commands about what an account has read and saved.
func newReading(user *reader) []*cobra.Command {
	listed := func(use, short, path string) *cobra.Command {
		return list[feed.ReaderEntry]{
			use: use, short: short, path: path, query: user.query, limit: "maximum number of entries, up to 200",
			columns: []string{"ENTRY", "WHEN", "READ", "TITLE", "LINK"},
			print: func(w io.Writer, e *feed.ReaderEntry) {
				row(w, e.Number(), terminal.Ago(e.Timestamp), yesNo(e.Read), terminal.Cut(e.Title, 60), e.Link)
			},
		}.command()
	}
	unread := &cobra.Command{Use: "unread", Short: "Count the unread entries of an account by source", RunE: func(cmd *cobra.Command, _ []string) error {
		counts, err := request[readers.Unread](cmd, http.MethodGet, user.of("me/read"), nil)
		if err != nil {
			return err
		}
		return show(cmd, counts, func(w io.Writer) {
			row(w, "ID", "UNREAD", "URL")
			for _, s := range counts.Sources {
				row(w, s.ID, s.Unread, s.FeedURL)
			}
			row(w, "all, without muted sources", counts.Unread, "")
		})
	}}
	saving := func(name, short, method string) *cobra.Command {
		return &cobra.Command{Use: name + " ENTRY", Short: short, RunE: func(cmd *cobra.Command, args []string) error {
			return echo(cmd, method, user.of("me/saved/%s"), args, name+"d", name+"d")
		}}
	}
	return []*cobra.Command{
		listed("read", "List the timeline of an account, newest entries first", "me/feed"),
		unread, newMark(user), newMarkAll(user),
		listed("saved", "List the entries that an account has saved, those that were saved last first", "me/saved"),
		saving("save", "Save an entry, which then stays when it expires at its source", http.MethodPut),
		saving("unsave", "Undo save", http.MethodDelete),
	}
}

// newMark returns the command that marks entries by their numbers.
func newMark(user *reader) *cobra.Command {
	var unread bool
	cmd := &cobra.Command{
		Use: "mark ENTRY...", Short: "Mark up to 1000 entries as read or unread", Example: "  feedwire follow mark 17 18 --unread",
		RunE: func(cmd *cobra.Command, args []string) error {
			state := feed.StateRead
			if unread {
				state = feed.StateUnread
			}
			return sendMark(cmd, user, map[string]any{"entries": args, "state": state})
		},
	}
	cmd.Flags().BoolVar(&unread, "unread", false, "mark them as unread")
	return cmd
}

// newMarkAll returns the command that marks all entries of sources.
func newMarkAll(user *reader) *cobra.Command {
	var source, folder string
	cmd := &cobra.Command{
		Use: "mark-all", Short: "Mark the entries of all followed sources, of one source or of a folder as read",
		Example: "  feedwire follow mark-all --folder News --user ann",
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case cmd.Flags().Changed("source"):
				return sendMark(cmd, user, map[string]any{"source": source})
			case cmd.Flags().Changed("folder"):
				return sendMark(cmd, user, map[string]any{"folder": folder})
			}
			return sendMark(cmd, user, map[string]any{"all": true})
		},
	}
	cmd.Flags().StringVar(&source, "source", "", "id or URL of a source")
	cmd.Flags().StringVar(&folder, "folder", "", "name of a folder; empty: the sources without one")
	cmd.MarkFlagsMutuallyExclusive("source", "folder")
	return cmd
}

func sendMark(cmd *cobra.Command, user *reader, what map[string]any) error {
	if _, err := request[client.Raw](cmd, http.MethodPost, user.of("me/read"), what); err != nil {
		return err
	}
	return show(cmd, what, func(w io.Writer) { fmt.Fprintln(w, "marked") })
}
