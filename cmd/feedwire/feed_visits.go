package main

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/publish/desk"
	"github.com/feedwire/feedwire/store/feed"
)

func newOutgoingVisits() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "visits FEED",
		Short: "List who came for an outgoing feed, the newest first",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := fmt.Sprintf("/api/v1/feeds/%s/visits?limit=%d", id(args[0]), limit)
			page, err := answerTo[feed.Page[desk.Visit]](cmd, http.MethodGet, path, nil)
			if err != nil {
				return err
			}
			now := time.Now()
			return show(cmd, page.Items, func(w io.Writer) {
				row(w, "WHEN", "CLIENT", "STATUS", "COUNTED")
				for _, v := range page.Items {
					row(w, ago(v.Time, now), v.Client, strconv.Itoa(v.Status), map[bool]string{true: "yes", false: "no"}[v.Counted])
				}
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 50, "at most so many, up to 2000")
	return cmd
}
