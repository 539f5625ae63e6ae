package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/store/feed"
)

func newSourceSet() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "set ID|URL",
		Short: "Change the name, the address or the settings of a source",
		Long: `Change the name, the address or the settings of a source. Settings whose flags are not given stay.

--address is where the source is polled. Its entries, articles and subscriptions stay, and known entries are not published again.
Secrets that were entered for another server are removed.`,
		Example: `  feedwire source set 4c0adcbee432 --address https://blog.example.org/new.xml
  feedwire source set https://blog.example.org/feed.xml --name 'Harbour News'`,
		RunE: withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			in, err := sourceBody(cmd.Flags())
			if err == nil && len(in) == 0 {
				err = usage(errors.New("nothing to change: give a flag, such as --name or --address"))
			}
			if err == nil {
				err = completeFilters(cmd.Context(), c, in, args[0])
			}
			if err != nil {
				return err
			}
			var src feed.Source
			if err := c.Call(cmd.Context(), http.MethodPatch, "/api/v1/sources/"+client.Path(args[0]), in, &src); err != nil {
				return err
			}
			return show(cmd, src, func(w io.Writer) { fmt.Fprintln(w, "changed", src.ID, src.URL) })
		}),
	}
	addSourceFlags(cmd.Flags())
	cmd.Flags().String("name", "", "`NAME` of the source; \"\" shows the title of the feed")
	cmd.Flags().String("address", "", "`URL` at which the source is polled; \"\" is the URL of the source")
	return cmd
}

func newSourceAdopt() *cobra.Command {
	return &cobra.Command{
		Use:   "adopt ID|URL...",
		Short: "Poll sources that redirect permanently at their new addresses",
		Long: `Poll sources that redirect permanently at their new addresses from now on. Without this command, feedwire does so after 3 days. "source
list -o json" shows the cause "moved" of such sources.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBulk(cmd, "sources/adopt", map[string][]string{"sources": args})
		},
	}
}
