package cli

import (
	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/config"
)

func newServe(p *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the daemon",
		Long: `Run the daemon until it receives SIGINT or SIGTERM. SIGHUP reloads the configuration.

Without a configuration file, the daemon keeps a private Redis in its data directory and listens on 127.0.0.1:8080.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			load := func() (*config.Config, error) { return loadConfig(cmd) }
			return p.Serve(cmd.Context(), cfg, load, cmd.ErrOrStderr())
		},
	}
	config.Flags(cmd.Flags())
	return cmd
}
