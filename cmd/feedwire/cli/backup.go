package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/embedded"
)

func newBackup() *cobra.Command {
	return withServer(&cobra.Command{
		Use:   "backup FILE",
		Short: "Write a backup of a running daemon to a file",
		Long: `Write a consistent backup of everything in the daemon's store to FILE: sources, entries, signals, articles and their
impressions, subscriptions and accounts. After a restore, no signal is lost or sent twice.

The file contains secrets of subscriptions and passwords of sources. It is readable only by its owner. The configuration and
the token in data_dir are not part of the backup.`,
		RunE: withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			about, err := c.Backup(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return show(cmd, about, func(w io.Writer) {
				fmt.Fprintf(w, "backed up %d keys, %s, to %s; the file contains secrets\n", about.Keys, about.Created.Format("2 Jan 2006 15:04:05 MST"), args[0])
			})
		}),
	})
}

func newRestore() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Restore a backup into an empty store",
		Long: `Restore a backup into the store of this configuration. The file is verified completely before anything is written.

If the store is the private Redis of a daemon, stop that daemon first. Daemons on a shared Redis may keep running and resume
when the restore has ended. Run an interrupted restore again.

The command refuses a store that contains data, unless --force is set.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer file.Close() //nolint:errcheck // only read
			return withStore(cmd, 0, func(s *store.Store) error {
				about, err := s.Ops.RestoreBackup(cmd.Context(), file, force)
				if err == nil {
					fmt.Fprintf(cmd.OutOrStdout(), "restored %d keys of the backup of %s\n", about.Keys, about.Created.Format("2 Jan 2006 15:04:05 MST"))
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "delete everything in the store first")
	return withOptions(cmd)
}

func newReset() *cobra.Command {
	return withOptions(&cobra.Command{
		Use:   "reset",
		Short: "Move the private store aside and begin with an empty one",
		Long: `Move the data of the private Redis to another directory beside it, so that the daemon starts with an empty store. Nothing is
deleted. Stop the daemon first.

Use it if the daemon refuses to start because files of its data are lost. Then restore a backup with feedwire restore, or
start the daemon. The command does not touch a Redis that store.redis names.`,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			if cfg.Store.Redis.Reveal() != "" {
				return errors.New("store.redis is set, so there is no private store: empty that Redis with its own tools")
			}
			setup.PrivateFiles()
			lock, err := embedded.Lock(cfg.DataDir)
			if err != nil {
				return fmt.Errorf("data_dir: %w", err)
			}
			defer func() { err = errors.Join(err, lock.Close()) }()
			log, _ := setup.NewLogger(cmd.ErrOrStderr(), config.Log{Level: cfg.Log.Level, Format: "text"})
			aside, err := embedded.SetAside(cmd.Context(), filepath.Join(cfg.DataDir, "redis"), log)
			switch {
			case err != nil:
				return err
			case aside == "":
				fmt.Fprintln(cmd.OutOrStdout(), "there is no private store: nothing to move")
			default:
				fmt.Fprintf(cmd.OutOrStdout(), "moved the data to %s; the next start begins with an empty store\n", aside)
			}
			return nil
		},
	})
}

// withStore calls f with the store of the configuration. timeout bounds a call to Redis; 0: as configured. It fails if a daemon
// uses the private store.
func withStore(cmd *cobra.Command, timeout time.Duration, f func(*store.Store) error) (err error) {
	cfg, err := loadConfig(cmd)
	if err != nil {
		return err
	}
	closing := func(c io.Closer) { err = errors.Join(err, c.Close()) }
	options := store.Options{URL: cfg.Store.Redis.Reveal(), Prefix: cfg.Store.Prefix, Timeout: cmp.Or(timeout, cfg.Store.Timeout)}
	if options.URL == "" {
		setup.PrivateFiles()
		lock, err := embedded.Lock(cfg.DataDir)
		if err != nil {
			return fmt.Errorf("data_dir: %w", err)
		}
		defer closing(lock)
		log, _ := setup.NewLogger(cmd.ErrOrStderr(), config.Log{Level: cfg.Log.Level, Format: "text"})
		server := embedded.New(filepath.Join(cfg.DataDir, "redis"), embedded.Options{Mode: embedded.ModeChild, Logger: log})
		if err := server.Start(cmd.Context()); err != nil {
			return err
		}
		defer closing(server)
		options.Dial = server.Dial
	}
	s, err := store.New(options)
	if err != nil {
		return err
	}
	defer closing(s)
	return f(s)
}
