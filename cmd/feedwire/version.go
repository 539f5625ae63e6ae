package main

import (
	"cmp"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Set by the linker: see the Makefile. Empty: what the go command has noted stands for it.
var (
	version  = "" // "v1.2.0"
	revision = "" // the commit it was built from
	date     = "" // of the commit, RFC 3339: so that two builds of it are the same
)

// build tells one program from another.
type build struct {
	Version  string `json:"version"`  // "(devel)": nobody said
	Revision string `json:"revision"` // empty: unknown; "-dirty" at its end: with changes that are in no commit
	Date     string `json:"date"`     // empty: unknown
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// thisBuild is what is known of this program.
func thisBuild() build {
	b := build{version, revision, date, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = cmp.Or(b.Version, info.Main.Version)
		noted := make(map[string]string, len(info.Settings))
		for _, s := range info.Settings {
			noted[s.Key] = s.Value
		}
		if b.Revision == "" && noted["vcs.modified"] == "true" {
			noted["vcs.revision"] += "-dirty"
		}
		b.Revision = cmp.Or(b.Revision, noted["vcs.revision"])
		b.Date = cmp.Or(b.Date, noted["vcs.time"])
	}
	b.Version = cmp.Or(b.Version, "(devel)")
	return b
}

func newVersion() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, and what it was built from",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkOutput(cmd); err != nil {
				return err
			}
			b := thisBuild()
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
