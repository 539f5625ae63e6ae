package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/config"
)

func newServe() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the daemon",
		Long: `Run the daemon until it is told to stop by SIGINT or SIGTERM; SIGHUP has it read its configuration again. Without any configuration it keeps a private Redis in
its data directory and listens on 127.0.0.1:8080.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			log, setLog := newLogger(cmd.ErrOrStderr(), cfg.Log)
			a, err := newApp(cmd.Context(), cfg, log)
			if err != nil {
				return err
			}
			if w := cmd.ErrOrStderr(); isTerminal(w) {
				a.terminal = w
			}
			a.setLog = setLog
			a.load = func() (*config.Config, error) { return loadConfig(cmd) }
			defer onHangUp(func() { a.reload(cmd.Context()) })()
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

// onHangUp calls f for each SIGHUP until the returned function is called, which waits for a call under way.
func onHangUp(f func()) (stop func()) {
	hangUps, ended := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(hangUps, syscall.SIGHUP)
	go func() {
		defer close(ended)
		for range hangUps {
			f()
		}
	}()
	return func() {
		signal.Stop(hangUps)
		close(hangUps)
		<-ended
	}
}
