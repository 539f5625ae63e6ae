package cli

import (
	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/config"
)

func newServe(p *Program) *cobra.Command {
	return withOptions(&cobra.Command{
		Use:   "serve",
		Short: "Run the daemon",
		Long: `Run the daemon until it receives SIGINT or SIGTERM. SIGHUP reloads the configuration.

Without a configuration file, the daemon keeps a private Redis in its data directory and listens on 127.0.0.1:8080.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			load := func() (*config.Config, error) { return loadConfig(cmd) }
			cfg, err := load()
			if err != nil {
				return err
			}
			return p.Serve(cmd.Context(), cfg, load, cmd.ErrOrStderr())
		},
	})
}

func newDemo(p *Program) *cobra.Command {
	return withOptions(&cobra.Command{
		Use:   "demo",
		Short: "Run the daemon on sample feeds, without Redis or internet access",
		Long: `Run the daemon on four local sample feeds, with a crawler that fetches the outgoing feed as Facebook's did, and print every
poll, signal and impression.

All data is in a temporary directory, which is deleted when the command ends.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.Demo(cmd.Context(), cmd.Flags(), cmd.OutOrStdout())
		},
	})
}
