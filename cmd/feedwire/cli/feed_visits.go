package cli

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/publish/desk/feeds"
	"github.com/feedwire/feedwire/store/feed"
)

func newOutgoingVisits() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "visits FEED",
		Short: "List the requests for an outgoing feed, the newest first",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := fmt.Sprintf("/api/v1/feeds/%s/visits?limit=%d", client.Path(args[0]), limit)
			page, err := request[feed.Page[feeds.Visit]](cmd, http.MethodGet, path, nil)
			if err != nil {
				return err
			}
			now := time.Now()
			return show(cmd, page.Items, func(w io.Writer) {
				row(w, "WHEN", "CLIENT", "STATUS", "COUNTED")
				for _, v := range page.Items {
					row(w, terminal.Ago(v.Time, now), v.Client, strconv.Itoa(v.Status), map[bool]string{true: "yes", false: "no"}[v.Counted])
				}
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 50, "maximum number of requests, up to 2000")
	return cmd
}
