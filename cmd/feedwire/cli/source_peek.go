package cli

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/publish/desk/sources"
	"github.com/feedwire/feedwire/store/feed"
)

func newSourcePeek() *cobra.Command {
	return &cobra.Command{
		Use:   "peek URL",
		Short: "Show the current entries of a feed without storing them",
		Long: `Fetch a feed through the daemon and print its newest entries, up to 50. Nothing is stored or signalled. "feedwire parse" does the
same for a file, without a daemon.`,
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			seen, err := request[sources.Peeked](cmd, http.MethodPost, "/api/v1/peek", map[string]string{"url": args[0]})
			if err != nil {
				return err
			}
			now := time.Now()
			return show(cmd, seen, func(w io.Writer) {
				row(w, "title", seen.About.Title)
				row(w, "site", seen.About.Link)
				row(w, "format", seen.Format)
				for i := range seen.Items {
					row(w, terminal.Ago(seen.Items[i].Timestamp, now), terminal.Cut(seen.Items[i].Title, 80))
				}
			})
		},
	}
}

func newSourceRestore() *cobra.Command {
	return &cobra.Command{
		Use:   "restore ID|URL",
		Short: "Restore a source that was removed in the last 24 hours, with its settings",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := request[feed.Source](cmd, http.MethodPost, "/api/v1/sources/"+client.Path(args[0])+"/restore", nil)
			if err != nil {
				return err
			}
			return show(cmd, s, func(w io.Writer) { fmt.Fprintln(w, "restored", s.ID, s.URL) })
		},
	}
}
