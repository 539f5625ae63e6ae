package cli

import (
	"cmp"
	"io"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
)

func newVersion() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print version and build information",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkOutput(cmd); err != nil {
				return err
			}
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
