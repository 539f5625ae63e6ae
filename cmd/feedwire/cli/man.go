package cli

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
)

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the man pages of all commands to a directory",
		Hidden: true, // of use to those who make packages only
		RunE: func(cmd *cobra.Command, args []string) error {
			b := setup.ThisBuild()
			header := &doc.GenManHeader{Section: "1", Source: "feedwire " + b.Version, Manual: "feedwire"}
			if at, err := time.Parse(time.RFC3339, b.Date); err == nil { // else it is today
				at = at.UTC()
				header.Date = &at
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // everybody reads man pages
				return err
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true // it names the day again
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return fmt.Errorf("man pages: %w", err)
			}
			return nil
		},
	}
}
