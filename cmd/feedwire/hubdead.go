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

func newHubDead() *cobra.Command {
	return &cobra.Command{
		Use:   "dead",
		Short: "List what was given up, the newest first",
		Long: `List what was given up, the newest first, at most 200: versions that a subscriber did not take although they were tried for
a day. The subscription goes on with the next version; "feedwire hub replay" sends what it missed.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			page, err := answerTo[feed.Page[desk.HubDeadLetter]](cmd, http.MethodGet, "/api/v1/hub/dead?limit=200", nil)
			if err != nil {
				return err
			}
			now := time.Now()
			return show(cmd, page.Items, func(w io.Writer) {
				row(w, "ID", "SUBSCRIPTION", "VERSIONS", "TRIES", "LAST ANSWER", "GIVEN UP", "TOPIC")
				for _, l := range page.Items {
					versions := strconv.FormatInt(l.First, 10)
					if l.Last > l.First {
						versions += fmt.Sprintf(" and %d more", l.Last-l.First)
					}
					row(w, l.ID, l.Subscription, versions, strconv.Itoa(l.Failures),
						lastAnswer(&desk.HubHealth{Failures: l.Failures, Status: l.Status, Reason: l.Reason}), ago(l.Time, now), topicText(l.Topic))
				}
			})
		},
	}
}

func newHubReplay() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "replay ID|--all",
		Short: "Send what a subscriber missed, by the id of a dead letter, or what all have missed",
		Args: func(cmd *cobra.Command, args []string) error {
			if all {
				return noArgs(cmd, args)
			}
			return exactly(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if all {
				done, err := answerTo[map[string]int](cmd, http.MethodPost, "/api/v1/hub/dead/replay", nil)
				if err != nil {
					return err
				}
				return show(cmd, done, func(w io.Writer) { fmt.Fprintln(w, "replaying", done["replayed"]) })
			}
			c, err := newClient(cmd)
			if err != nil {
				return err
			}
			if err := c.call(cmd.Context(), http.MethodPost, "/api/v1/hub/dead/"+id(args[0])+"/replay", nil, nil); err != nil {
				return err
			}
			return show(cmd, map[string]string{"replayed": args[0]}, func(w io.Writer) { fmt.Fprintln(w, "replaying", args[0]) })
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "of all dead letters whose subscription goes on, up to 1000 in one call")
	return cmd
}
