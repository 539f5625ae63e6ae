package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/store/feed"
)

func newSignalsFind() *cobra.Command {
	var kinds []string
	var source, before string
	var since time.Duration
	var limit int
	cmd := &cobra.Command{
		Use:   "find [TEXT]",
		Short: "Find signals, the newest first",
		Long: `Find signals whose source has a text in its address, the newest first. One search looks through 2,000 signals at a time; where
there are more behind them it says how to go on.`,
		Args: func(cmd *cobra.Command, args []string) error { return asUsage(cobra.MaximumNArgs(1)(cmd, args)) },
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
			page, err := answerTo[feed.Page[feed.Signal]](cmd, http.MethodGet, "/api/v1/signals/search?"+q.Encode(), nil)
			if err != nil {
				return err
			}
			return show(cmd, page, func(w io.Writer) {
				for i := range page.Items {
					fmt.Fprintln(w, page.Items[i].Time.Local().Format("2006-01-02 15:04:05"), describe(&page.Items[i]))
				}
				if page.Next != "" {
					fmt.Fprintln(w, "older ones: --before", page.Next)
				}
			})
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&kinds, "kind", nil, "feed_created, feed_modified, post_created or post_modified; may be repeated")
	f.StringVar(&source, "source", "", "only of this source, by its URL")
	f.DurationVar(&since, "since", 0, "only of so long ago until now, as 24h")
	f.StringVar(&before, "before", "", "only before the signal with this id")
	f.IntVar(&limit, "limit", 50, "at most so many, up to 200")
	return cmd
}
