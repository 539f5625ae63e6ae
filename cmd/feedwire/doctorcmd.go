package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/store"
)

// serveDoctor serves GET /-/doctor.
func (a *app) serveDoctor(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(a.examine(r.Context())) // the client may be gone
}

func newDoctor() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is wrong or soon will be, and tell the remedy; exit code 3 when something is bad",
		Long: `Look for what is wrong or soon will be: Redis and its settings, the clock, public_url from outside in, disk and limits, proxies,
sources and feeds. Each finding says why it matters and what to do.

The running daemon is asked. Where none runs, the doctor looks at what it can see without one.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := newOperator(cmd)
			var found []finding
			if err == nil {
				err = c.call(cmd.Context(), http.MethodGet, "/-/doctor", nil, &found)
			}
			if _, answered := errors.AsType[*answerError](err); answered {
				return err // a daemon is there, and refuses
			}
			if err != nil {
				cfg, broken := loadConfig(cmd)
				if broken != nil {
					return broken
				}
				found = examineAlone(cmd.Context(), cfg, err)
			}
			if err := show(cmd, found, func(w io.Writer) { printFindings(w, found) }); err != nil {
				return err
			}
			if n := bad(found); n > 0 {
				return &exitError{exitUnhealthy, fmt.Errorf("%d of %d findings are bad", n, len(found))}
			}
			return nil
		},
	}
	clientFlags(cmd)
	return cmd
}

// examineAlone looks at what can be seen without a daemon; why is what was heard instead of one.
func examineAlone(ctx context.Context, cfg *config.Config, why error) []finding {
	all := []finding{{"daemon", badLevel, why.Error(), "nothing is polled and nothing is served", "start it: feedwire serve"}}
	if url := cfg.Store.Redis.Reveal(); url != "" {
		s, err := store.New(store.Options{URL: url, Prefix: cfg.Store.Prefix, Timeout: cfg.Store.Timeout})
		var h store.Health
		if err == nil {
			h, err = s.Health(ctx)
			_ = s.Close() // nothing was written
		}
		all = append(all, examineStore(&h, err)...)
	}
	all = append(all, examineHost(cfg)...)
	all = append(all, examineConfig(cfg, os.Environ())...)
	all = append(all, examineProxy(ctx, cfg)...)
	unseen := "public_url, sources and feeds"
	if cfg.Store.Redis.Reveal() == "" {
		unseen = "the private store, " + unseen
	}
	return append(all, finding{"daemon", warnLevel, "not looked at: " + unseen, "only a running daemon can tell", "start it, and ask again"})
}

func bad(found []finding) (n int) {
	for _, f := range found {
		if f.Level == badLevel {
			n++
		}
	}
	return n
}

// printFindings prints the worst first.
func printFindings(w io.Writer, found []finding) {
	worst := []string{badLevel, warnLevel, wellLevel}
	sorted := slices.Clone(found)
	slices.SortStableFunc(sorted, func(a, b finding) int { return slices.Index(worst, a.Level) - slices.Index(worst, b.Level) })
	for _, f := range sorted {
		row(w, f.Level, f.Check, f.What)
		if f.Why != "" {
			row(w, "", "", "why: "+f.Why)
			row(w, "", "", "do: "+f.Remedy)
		}
	}
}
