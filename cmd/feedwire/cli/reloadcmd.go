package cli

import (
	"cmp"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/publish/desk/settings"
)

func newReload() *cobra.Command {
	return withServer(&cobra.Command{
		Use:   "reload",
		Short: "Reload the configuration of the daemon",
		Long: `Reload the configuration of the daemon, as SIGHUP does, and print the changes. If the configuration is invalid, nothing
changes and the problems are printed. Polls, deliveries, responses and event streams in progress continue.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := newOperator(cmd)
			if err != nil {
				return err
			}
			var done settings.Reload
			if err := c.Call(cmd.Context(), http.MethodPost, "/-/reload", nil, &done); err != nil {
				return err
			}
			return show(cmd, done, func(w io.Writer) { printReload(w, &done) })
		},
	})
}

func printReload(w io.Writer, done *settings.Reload) {
	if len(done.Changes) == 0 {
		fmt.Fprintln(w, "no changes")
	}
	for _, c := range done.Changes {
		effect := "now"
		if c.Restart {
			effect = "after a restart"
		}
		row(w, c.Key, fmt.Sprintf("%s -> %s, %s", cmp.Or(c.From, "-"), cmp.Or(c.To, "-"), effect))
	}
}
