package cli

import (
	"fmt"
	"net/netip"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/subscriber"
	"github.com/feedwire/feedwire/store/feed"
)

func newSubscribe() *cobra.Command {
	var opts subscriber.Options
	cmd := &cobra.Command{
		Use:   "subscribe URL",
		Short: "Subscribe to a feed at its hub and print new entries (WebSub)",
		Long: `Subscribe to a feed at its WebSub or PubSubHubbub hub and print each new or changed entry until interrupted, then unsubscribe.
A page that names a hub is an entry each time it changes. A delivery without content causes a fetch, and each renewal a new
discovery. Deliveries without a valid signature are rejected. The command stores nothing and does not need a daemon.

The hub must be able to reach this program at the address in --listen, or at the URL in --callback that leads to it. --exec
runs a shell command for each entry, one at a time, with the entry as JSON on its standard input.

With --hub, URL is the topic itself and discovery is skipped.`,
		Example: `  feedwire subscribe https://blog.example.org/feed.xml --listen :8099 --callback https://me.example.net/push
  feedwire subscribe https://blog.example.org/feed.xml --exec 'jq -r .link'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if u, err := url.Parse(args[0]); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
				return usage(fmt.Errorf("%q is not an HTTP URL; use https://…", args[0]))
			}
			if opts.Callback != "" {
				if err := feed.CheckCallback(opts.Callback); err != nil {
					return usage(fmt.Errorf("callback: %w", err))
				}
			}
			opts.Client = newFetcher([]netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")})
			opts.JSON, opts.Out, opts.Notes = isJSON(cmd), cmd.OutOrStdout(), cmd.ErrOrStderr()
			return subscriber.Run(cmd.Context(), args[0], opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.Hub, "hub", "", "URL of the hub (default: discovered from the feed)")
	f.StringVar(&opts.Listen, "listen", "127.0.0.1:0", "listen on this address; port 0 selects a free port")
	f.StringVar(&opts.Callback, "callback", "", "public URL of --listen (default: http:// and the address)")
	f.StringVar(&opts.Exec, "exec", "", "shell `COMMAND` to run for each entry")
	f.StringP("output", "o", "table", "output format: table, or json with one entry per line")
	return cmd
}
