package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/store/feed"
)

func newSignals() *cobra.Command {
	return withServer(group("signals", "Follow and search signals", newSignalsTail(), newSignalsFind()))
}

func newSignalsTail() *cobra.Command {
	var after string
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Print signals as they arrive",
		Long: `Print signals as they arrive, until interrupted. With --after, first print the signals after that id; 0 starts with the oldest
signal. If the connection breaks, the command reconnects and continues after the last signal.`,
		RunE: withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			return c.Signals(cmd.Context(), after, func(s *feed.Signal, raw []byte) error { return printSignal(cmd, s, raw) })
		}),
	}
	cmd.Flags().StringVar(&after, "after", "", "start after the signal with this `ID` (default: only new signals)")
	return cmd
}

func printSignal(cmd *cobra.Command, s *feed.Signal, raw []byte) error {
	w := cmd.OutOrStdout()
	if isJSON(cmd) {
		_, err := fmt.Fprintf(w, "%s\n", raw)
		return err
	}
	_, err := fmt.Fprintln(w, s.Time.Local().Format(time.TimeOnly), terminal.Signal(s))
	return err
}

func newSignalsFind() *cobra.Command {
	var kinds []string
	var source, before string
	var since time.Duration
	var limit int
	cmd := &cobra.Command{
		Use:   "find [TEXT]",
		Short: "Search signals, newest first",
		Long: `Search signals by the URL of their source, newest first. One search covers up to 2,000 signals. If there are more, the
output says how to continue.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			q := url.Values{"q": args, "kind": kinds, "feed_url": {source}, "cursor": {before}, "limit": {strconv.Itoa(limit)}}
			if since > 0 {
				q.Set("since", time.Now().Add(-since).UTC().Format(time.RFC3339))
			}
			return call[feed.Page[feed.Signal]]{
				method: http.MethodGet, path: "signals/search?" + q.Encode(),
				print: func(w io.Writer, page *feed.Page[feed.Signal], _ []string) {
					for i := range page.Items {
						fmt.Fprintln(w, timestamp(page.Items[i].Time), terminal.Signal(&page.Items[i]))
					}
					if page.Next != "" {
						fmt.Fprintln(w, "for older signals: --before", page.Next)
					}
				},
			}.run(cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&kinds, "kind", nil, "feed_created, feed_modified, post_created, post_modified, post_deleted, comment_created, entry_voted or list_modified; repeatable")
	f.StringVar(&source, "source", "", "signals of the source with this URL")
	f.DurationVar(&since, "since", 0, "signals of the last `DURATION`, such as 24h")
	f.StringVar(&before, "before", "", "signals before the one with this `ID`")
	f.IntVar(&limit, "limit", 50, "maximum number of signals, up to 200")
	return cmd
}
