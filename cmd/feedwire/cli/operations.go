package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/doctor"
	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/publish/desk/settings"
)

func newReload() *cobra.Command {
	return withServer(call[settings.Reload]{
		use: "reload", short: "Reload the configuration of the daemon",
		long: `Reload the configuration of the daemon, as SIGHUP does, and print the changes. If the configuration is invalid, nothing
changes and the problems are printed. Polls, deliveries, responses and event streams in progress continue.`,
		path: "/-/reload", print: printReload,
	}.command())
}

func printReload(w io.Writer, done *settings.Reload, _ []string) {
	if len(done.Changes) == 0 {
		fmt.Fprintln(w, "no changes")
	}
	for _, c := range done.Changes {
		effect := "applied"
		if c.Restart {
			effect = "requires a restart"
		}
		row(w, c.Key, fmt.Sprintf("%s -> %s, %s", cmp.Or(c.From, "-"), cmp.Or(c.To, "-"), effect))
	}
}

func newHealthcheck() *cobra.Command {
	var ready bool
	cmd := &cobra.Command{
		Use:   "healthcheck",
		Short: "Check whether the daemon is alive",
		Long:  `Check whether the daemon is alive. The exit code is 3 if it is not.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			path := "/healthz"
			if ready {
				path = "/readyz"
			}
			_, resp, err := doctor.Ask(cmd.Context(), operations(cfg)+path) //nolint:bodyclose // Ask has closed it
			if err != nil {
				return &exitError{ExitUnhealthy, err}
			}
			if resp.StatusCode != http.StatusOK {
				return &exitError{ExitUnhealthy, fmt.Errorf("%s responded %s", operations(cfg)+path, resp.Status)}
			}
			fmt.Fprintln(cmd.OutOrStdout(), "healthy")
			return nil
		},
	}
	cmd.Flags().BoolVar(&ready, "ready", false, "check whether the daemon is ready: its store accepts writes")
	return withOptions(cmd)
}

func newDoctor() *cobra.Command {
	return withServer(&cobra.Command{
		Use:   "doctor",
		Short: "Check the installation and print a remedy for each problem",
		Long: `Check Redis and its settings, clocks, public_url as seen from outside, disk space, limits, proxies, sources and feeds. Each finding
says why it matters and what to do. The exit code is 3 if a finding is bad.

The command queries the running daemon. If no daemon runs, it checks what can be checked without one.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := request[doctor.Findings](cmd, http.MethodGet, "/-/doctor", nil)
			if _, refused := errors.AsType[*client.Error](err); refused {
				return err
			}
			if err != nil {
				cfg, broken := loadConfig(cmd)
				if broken != nil {
					return broken
				}
				found = doctor.Alone(cmd.Context(), cfg, environ(cmd), err)
				if sender, wrong := setup.Mail(cfg); sender != nil {
					found = append(found, doctor.Mail(cfg.Mail.Host, sender.Check(cmd.Context())))
				} else if wrong != nil {
					found = append(found, doctor.Mail(cfg.Mail.Host, wrong))
				}
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
