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
	"github.com/feedwire/feedwire/publish/desk/hub"
	"github.com/feedwire/feedwire/store/feed"
)

func newHubDead() *cobra.Command {
	return &cobra.Command{
		Use:   "dead",
		Short: "List the deliveries that failed permanently, the newest first",
		Long: `List up to 200 deliveries that failed permanently, the newest first: versions that a subscriber did not accept for the time in
hub.horizon. The subscription continues with the next version. "feedwire hub replay" sends the missed versions.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			page, err := request[feed.Page[hub.DeadLetter]](cmd, http.MethodGet, "/api/v1/hub/dead?limit=200", nil)
			if err != nil {
				return err
			}
			now := time.Now()
			return show(cmd, page.Items, func(w io.Writer) {
				row(w, "ID", "SUBSCRIPTION", "VERSIONS", "TRIES", "LAST RESPONSE", "FAILED", "TOPIC")
				for _, l := range page.Items {
					versions := strconv.FormatInt(l.First, 10)
					if l.Last > l.First {
						versions += fmt.Sprintf(" and %d more", l.Last-l.First)
					}
					row(w, l.ID, l.Subscription, versions, strconv.Itoa(l.Failures),
						lastAnswer(&hub.Health{Failures: l.Failures, Status: l.Status, Reason: l.Reason}), terminal.Ago(l.Time, now), topicText(l.Topic))
				}
			})
		},
	}
}

func newHubReplay() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "replay ID|--all",
		Short: "Resend deliveries that failed permanently",
		Long:  `Resend the versions of one dead letter, by its id, or with --all those of every dead letter whose subscription is still active.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if all {
				return noArgs(cmd, args)
			}
			return exactly(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if all {
				done, err := request[map[string]int](cmd, http.MethodPost, "/api/v1/hub/dead/replay", nil)
				if err != nil {
					return err
				}
				return show(cmd, done, func(w io.Writer) { fmt.Fprintln(w, "replaying", done["replayed"]) })
			}
			c, err := newClient(cmd)
			if err != nil {
				return err
			}
			if err := c.Call(cmd.Context(), http.MethodPost, "/api/v1/hub/dead/"+client.Path(args[0])+"/replay", nil, nil); err != nil {
				return err
			}
			return show(cmd, map[string]string{"replayed": args[0]}, func(w io.Writer) { fmt.Fprintln(w, "replaying", args[0]) })
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "resend all dead letters of active subscriptions, up to 1000 per call")
	return cmd
}
