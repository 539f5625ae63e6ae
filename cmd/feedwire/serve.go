package main

import (
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/feedwire/feedwire/config"
)

func newServe() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the daemon",
		Long: `Run the daemon until it is told to stop by SIGINT or SIGTERM. Without any configuration it keeps a private Redis in
its data directory and listens on 127.0.0.1:8080.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			a, err := newApp(cmd.Context(), cfg, newLogger(cmd.ErrOrStderr(), cfg.Log))
			if err != nil {
				return err
			}
			a.notices = cmd.ErrOrStderr()
			return a.Run(cmd.Context())
		},
	}
	config.Flags(cmd.Flags())
	return cmd
}

// loadConfig reads the configuration of a command: its flags, the environment and the file.
func loadConfig(cmd *cobra.Command) (*config.Config, error) {
	path, err := cmd.Flags().GetString("config")
	if err != nil {
		return nil, err
	}
	return config.Load(path, os.Environ(), cmd.Flags())
}

// newLogger writes text to a terminal and JSON elsewhere, unless the configuration says which.
func newLogger(w io.Writer, opts config.Log) *slog.Logger {
	options := &slog.HandlerOptions{Level: opts.Level}
	if opts.Format == "text" || opts.Format == "auto" && isTerminal(w) {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
