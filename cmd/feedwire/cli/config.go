package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/store/feed"
)

func newConfig() *cobra.Command {
	check := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Report every problem in a configuration file and the environment",
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), config.Example())
			return err
		},
	}
	var origin bool
	show := &cobra.Command{
		Use:   "show",
		Short: "Print the effective configuration with secrets masked",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			w := newTable(cmd.OutOrStdout())
			for _, s := range cfg.Settings() {
				cells := []any{s.Key + ":", s.Value}
				if origin {
					cells = append(cells, "# "+s.Origin)
				}
				row(w, cells...)
			}
			return w.Flush()
		},
	}
	show.Flags().BoolVar(&origin, "origin", false, "print the origin of each value")
	daemon := list[feed.Setting]{
		use: "daemon", short: "Print the configuration of a running daemon and the origin of each value", path: "settings", unpaged: true,
		columns: []string{"KEY", "VALUE", "ORIGIN"},
		print:   func(w io.Writer, s *feed.Setting) { row(w, s.Key, s.Value, s.Origin) },
	}.command()
	return group("config", "Check, print and explain the configuration", withOptions(check), example, withOptions(show), withServer(daemon))
}
