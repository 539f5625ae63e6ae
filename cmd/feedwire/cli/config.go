package cli

import (
	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/config"
)

// loadConfig reads the configuration from the flags of a command, the environment and the file.
func loadConfig(cmd *cobra.Command) (*config.Config, error) {
	path, err := cmd.Flags().GetString("config")
	if err != nil {
		return nil, err
	}
	return config.Load(path, environ(cmd), cmd.Flags())
}
