package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/doctor"
)

func newDoctor() *cobra.Command {
	return withServer(&cobra.Command{
		Use:   "doctor",
		Short: "Check the installation and print a remedy for each problem",
		Long: `Check Redis and its settings, clocks, public_url as seen from outside, disk space, limits, proxies, sources and feeds. Each finding
says why it matters and what to do. The exit code is 3 if a finding is bad.

The command queries the running daemon. If no daemon runs, it checks what can be checked without one.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := newOperator(cmd)
			var found []doctor.Finding
			if err == nil {
				err = c.Call(cmd.Context(), http.MethodGet, "/-/doctor", nil, &found)
			}
			if _, answered := errors.AsType[*client.Error](err); answered {
				return err // a daemon is there, and refuses
			}
			if err != nil {
				cfg, broken := loadConfig(cmd)
				if broken != nil {
					return broken
				}
				found = doctor.Alone(cmd.Context(), cfg, environ(cmd), err)
			}
			if err := show(cmd, found, func(w io.Writer) { printFindings(w, found) }); err != nil {
				return err
			}
			if n := countBad(found); n > 0 {
				return &exitError{ExitUnhealthy, fmt.Errorf("%d of %d findings are bad", n, len(found))}
			}
			return nil
		},
	})
}

func countBad(found []doctor.Finding) (n int) {
	for _, f := range found {
		if f.Level == doctor.LevelBad {
			n++
		}
	}
	return n
}

// printFindings prints findings, the worst first.
func printFindings(w io.Writer, found []doctor.Finding) {
	worst := []string{doctor.LevelBad, doctor.LevelWarn, doctor.LevelOK}
	sorted := slices.Clone(found)
	slices.SortStableFunc(sorted, func(a, b doctor.Finding) int { return slices.Index(worst, a.Level) - slices.Index(worst, b.Level) })
	for _, f := range sorted {
		row(w, f.Level, f.Check, f.What)
		if f.Why != "" {
			row(w, "", "", "why: "+f.Why)
			row(w, "", "", "do: "+f.Remedy)
		}
	}
}
