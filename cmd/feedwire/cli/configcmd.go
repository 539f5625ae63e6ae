package cli

import (
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/publish/desk/settings"
	"github.com/feedwire/feedwire/store/feed"
)

func newConfig() *cobra.Command {
	check := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Report every problem in a configuration file and the environment",
		Args: func(cmd *cobra.Command, args []string) error {
			return asUsage(cobra.MaximumNArgs(1)(cmd, args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if err := cmd.Flags().Set("config", args[0]); err != nil {
					return err
				}
			}
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			rules, err := setup.ReadRules(cfg)
			if err != nil {
				return err
			}
			for _, w := range rules.Warnings {
				fmt.Fprintln(cmd.ErrOrStderr(), "warning:", terminal.OneLine(w))
			}
			fmt.Fprintln(cmd.OutOrStdout(), "the configuration is valid")
			return nil
		},
	}
	example := &cobra.Command{
		Use:   "example",
		Short: "Print a configuration file that explains every key",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(config.Example())
			return err
		},
	}
	var origin bool
	show := &cobra.Command{
		Use:   "show",
		Short: "Print the effective configuration with secrets masked",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			return cfg.Show(cmd.OutOrStdout(), origin)
		},
	}
	show.Flags().BoolVar(&origin, "origin", false, "print the origin of each value")
	config.Flags(show.Flags())
	config.Flags(check.Flags())
	return group("config", "Check, print and explain the configuration", check, example, show, newConfigDaemon())
}

func newConfigDaemon() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "daemon",
		Short: "Print the configuration of a running daemon and the origin of each value",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			page, err := request[feed.Page[settings.Setting]](cmd, http.MethodGet, "/api/v1/settings", nil)
			if err != nil {
				return err
			}
			return show(cmd, page.Items, func(w io.Writer) {
				row(w, "KEY", "VALUE", "ORIGIN")
				for _, s := range page.Items {
					row(w, s.Key, s.Value, s.Origin)
				}
			})
		},
	}
	clientFlags(cmd)
	return cmd
}
