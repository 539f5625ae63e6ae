package main

import (
	"cmp"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/publish/desk"
)

func newReload() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reload",
		Short: "Have the daemon read its configuration again",
		Long: `Have the daemon read its configuration again, as SIGHUP does, and print what has changed. Where anything is wrong with it
nothing changes, and the problems are printed. What is under way goes on: polls, deliveries, answers and event streams.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := newOperator(cmd)
			if err != nil {
				return err
			}
			var done desk.Reload
			if err := c.call(cmd.Context(), http.MethodPost, "/-/reload", nil, &done); err != nil {
				return err
			}
			return show(cmd, done, func(w io.Writer) { printReload(w, &done) })
		},
	}
	clientFlags(cmd)
	return cmd
}

func printReload(w io.Writer, done *desk.Reload) {
	if len(done.Changes) == 0 {
		fmt.Fprintln(w, "nothing has changed")
	}
	for _, c := range done.Changes {
		holds := "now"
		if c.Restart {
			holds = "after a restart"
		}
		row(w, c.Key, fmt.Sprintf("%s -> %s, %s", cmp.Or(c.From, "-"), cmp.Or(c.To, "-"), holds))
	}
}

// newOperator is newClient for the paths of operators, which may be on a listener of their own.
func newOperator(cmd *cobra.Command) (*client, error) {
	c, err := newClient(cmd)
	if err != nil {
		return nil, err
	}
	cfg, err := loadConfig(cmd)
	if err != nil {
		return nil, err
	}
	if server, _ := cmd.Flags().GetString("server"); server == "" && cfg.Admin.Listen != "" {
		c.base = "http://" + reachable(cfg.Admin.Listen)
	}
	return c, nil
}
