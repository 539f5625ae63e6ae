package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/config"
)

func newConfig() *cobra.Command {
	check := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Report every problem of a configuration file and the environment",
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
			rules, err := readRules(cfg)
			if err != nil {
				return err
			}
			for _, w := range rules.warnings {
				fmt.Fprintln(cmd.ErrOrStderr(), "warning:", oneLine(w))
			}
			fmt.Fprintln(cmd.OutOrStdout(), "the configuration is good")
			return nil
		},
	}
	example := &cobra.Command{
		Use:   "example",
		Short: "Print a configuration file with every key explained",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(config.Example())
			return err
		},
	}
	var origin bool
	show := &cobra.Command{
		Use:   "show",
		Short: "Print the effective configuration, secrets masked",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			return cfg.Show(cmd.OutOrStdout(), origin)
		},
	}
	show.Flags().BoolVar(&origin, "origin", false, "say of each value where it comes from")
	config.Flags(show.Flags())
	config.Flags(check.Flags())
	return group("config", "Check, show and explain the configuration", check, example, show)
}
