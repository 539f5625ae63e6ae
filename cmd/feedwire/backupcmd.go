package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/embedded"
)

func newBackup() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write all that a running daemon keeps into a file",
		Long: `Write all that a running daemon keeps in its store into a file, as it is at one moment: sources, entries, signals, articles with
their impressions, subscriptions, accounts. Nothing of it is skipped or sent again after a restore.

The file holds secrets: those of subscriptions, and passwords of sources. Only you can read it; keep it so. The configuration
and the token in data_dir are not in it.`,
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := newOperator(cmd)
			if err != nil {
				return err
			}
			about, err := fetchBackup(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			return show(cmd, about, func(w io.Writer) {
				fmt.Fprintf(w, "%d keys of %s are in %s, which holds secrets\n", about.Keys, about.Created.Format("2 Jan 2006 15:04:05 MST"), args[0])
			})
		},
	}
	clientFlags(cmd)
	return cmd
}

func newRestore() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Bring a backup into an empty store",
		Long: `Bring a backup into the store of this configuration, once all of the file was checked. The daemon of a private store has to be
stopped first; daemons on a Redis of its own may run, and go on when the restore has ended. Where it was cut off, run it again.

A store that holds anything is left alone, unless --force says that it is to be deleted first.`,
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			file, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer file.Close() //nolint:errcheck // it was only read
			s, closeStore, err := openStore(cmd, cfg, cfg.Store.Timeout)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, closeStore()) }()
			about, err := s.RestoreBackup(cmd.Context(), file, force)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d keys of %s are back\n", about.Keys, about.Created.Format("2 Jan 2006 15:04:05 MST"))
			return nil
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "delete first what the store holds")
	config.Flags(cmd.Flags())
	return cmd
}

// openStore opens the store of a configuration without a daemon. One that runs keeps the private store for itself.
func openStore(cmd *cobra.Command, cfg *config.Config, timeout time.Duration) (s *store.Store, closeStore func() error, err error) {
	options := store.Options{URL: cfg.Store.Redis.Reveal(), Prefix: cfg.Store.Prefix, Timeout: timeout}
	var closers []func() error
	closeStore = func() (err error) {
		for i := range closers {
			err = errors.Join(err, closers[len(closers)-1-i]())
		}
		return err
	}
	if options.URL == "" {
		lock, err := embedded.Lock(cfg.DataDir)
		if err != nil {
			return nil, nil, fmt.Errorf("data_dir: %w", err)
		}
		closers = append(closers, lock.Close)
		log, _ := newLogger(cmd.ErrOrStderr(), config.Log{Level: cfg.Log.Level, Format: "text"})
		server := embedded.New(filepath.Join(cfg.DataDir, "redis"), embedded.Options{Mode: embedded.ModeChild, Logger: log})
		if err := server.Start(cmd.Context()); err != nil {
			return nil, nil, errors.Join(err, closeStore())
		}
		closers = append(closers, server.Close)
		options.Dial = server.Dial
	}
	if s, err = store.New(options); err != nil {
		return nil, nil, errors.Join(err, closeStore())
	}
	closers = append(closers, s.Close)
	return s, closeStore, nil
}
