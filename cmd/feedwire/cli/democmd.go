package cli

import (
	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/config"
)

func newDemo(p *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the daemon on sample feeds, without Redis or internet access",
		Long: `Run the daemon on four local sample feeds, with a crawler that fetches the outgoing feed as Facebook's did, and print every
poll, signal and impression.

All data is in a temporary directory, which is deleted when the command ends.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.Demo(cmd.Context(), cmd.Flags(), cmd.OutOrStdout())
		},
	}
	config.Flags(cmd.Flags())
	return cmd
}
