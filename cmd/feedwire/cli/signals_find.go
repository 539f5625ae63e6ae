package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/store/feed"
)

func newSignalsFind() *cobra.Command {
	var kinds []string
	var source, before string
	var since time.Duration
	var limit int
	cmd := &cobra.Command{
		Use:   "find [TEXT]",
		Short: "Search signals, the newest first",
		Long: `Search signals by the URL of their source, the newest first. One search covers up to 2,000 signals. If there are more, the
output says how to continue.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			q := url.Values{"kind": kinds, "limit": {strconv.Itoa(limit)}}
			if len(args) == 1 {
				q.Set("q", args[0])
			}
			if source != "" {
				q.Set("feed_url", source)
			}
			if since > 0 {
				q.Set("since", time.Now().Add(-since).UTC().Format(time.RFC3339))
			}
			if before != "" {
				q.Set("cursor", before)
			}
			page, err := request[feed.Page[feed.Signal]](cmd, http.MethodGet, "signals/search?"+q.Encode(), nil)
			if err != nil {
				return err
			}
			return show(cmd, page, func(w io.Writer) {
				for i := range page.Items {
					fmt.Fprintln(w, page.Items[i].Time.Local().Format("2006-01-02 15:04:05"), terminal.Signal(&page.Items[i]))
				}
				if page.Next != "" {
					fmt.Fprintln(w, "for older signals: --before", page.Next)
				}
			})
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&kinds, "kind", nil, "feed_created, feed_modified, post_created or post_modified; repeatable")
	f.StringVar(&source, "source", "", "signals of the source with this URL")
	f.DurationVar(&since, "since", 0, "signals of the last `DURATION`, such as 24h")
	f.StringVar(&before, "before", "", "signals before the one with this `ID`")
	f.IntVar(&limit, "limit", 50, "maximum number of signals, up to 200")
	return cmd
}
