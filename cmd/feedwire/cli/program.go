package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
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
		Long: `Run the daemon on four local sample feeds, with a crawler that fetches the outgoing feed as Facebook's did, and print a
line for each story, failure and import. The feeds have two days of history and go on for ever.

All data is in a temporary directory, which is deleted when the command ends.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.Demo(cmd.Context(), cmd.Flags(), cmd.OutOrStdout())
		},
	})
}

func newVersion() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print version and build information",
		RunE: func(cmd *cobra.Command, _ []string) error {
			b := setup.ThisBuild()
			return show(cmd, b, func(w io.Writer) {
				row(w, "feedwire", b.Version)
				row(w, "revision", cmp.Or(b.Revision, "-"))
				row(w, "date", cmp.Or(b.Date, "-"))
				row(w, "go", b.Go)
				row(w, "platform", b.Platform)
			})
		},
	}
	outputFlag(cmd.Flags())
	return cmd
}

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the man pages of all commands to a directory",
		Hidden: true, // for packagers
		RunE: func(cmd *cobra.Command, args []string) error {
			b := setup.ThisBuild()
			header := &doc.GenManHeader{Section: "1", Source: "feedwire " + b.Version, Manual: "feedwire"}
			if at, err := time.Parse(time.RFC3339, b.Date); err == nil { // otherwise today
				at = at.UTC()
				header.Date = &at
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // man pages are public
				return err
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true // it contains the date
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return fmt.Errorf("man pages: %w", err)
			}
			return nil
		},
	}
}
