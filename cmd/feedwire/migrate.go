package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/store"
)

// migrateTimeout is how long one exchange of a copy may take: a stream or a document is read as a whole.
const migrateTimeout = time.Minute

func newMigrate() *cobra.Command {
	var to, prefix string
	var dry bool
	cmd := &cobra.Command{
		Use:   "migrate --to URL",
		Short: "Copy everything to another Redis, a cluster, or another prefix",
		Long: `Copy everything that the configured store holds to another one: another Redis, one behind Sentinels, a cluster, or the same
with another prefix. In a cluster, all keys are on one node where the prefix begins with a tag such as {feedwire}:, and
spread over the nodes where it has none; they are copied from each layout into each other one.

The store here is left as it is. Stop all daemons that use it first: one that is at work is noticed, and none begins on
either store meanwhile. What is copied is read on both sides and compared. Interrupted, the same command goes on; after
kill -9 wait for 15 s. Then set store.redis and store.prefix to the new place.`,
		Example: `  feedwire migrate --to redis+cluster://n1:6379,n2:6379 --dry-run
  feedwire migrate --to redis+cluster://n1:6379,n2:6379 --to-prefix '{feedwire}:'
  feedwire migrate --to redis://n4:6379 --to-prefix news:`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			if to == "" {
				return usage(errors.New("--to is missing: say where to copy to"))
			}
			return migrate(cmd, cfg, store.Options{URL: to, Prefix: prefix, Timeout: migrateTimeout}, dry)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "URL of the Redis to copy to, as in store.redis")
	cmd.Flags().StringVar(&prefix, "to-prefix", "", "what the keys begin with there, as in store.prefix")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "count, and see that the other place is empty; copy nothing")
	config.Flags(cmd.Flags())
	return cmd
}

func migrate(cmd *cobra.Command, cfg *config.Config, place store.Options, dry bool) (err error) {
	from, closeFrom, err := openStore(cmd, cfg, migrateTimeout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeFrom()) }()
	there, err := store.New(place)
	if err != nil {
		return usage(err)
	}
	defer there.Close() //nolint:errcheck // all was answered
	var bar *progress
	m, err := from.CopyTo(cmd.Context(), there, dry, func(done, total int) {
		if bar == nil {
			bar = newProgress(cmd.ErrOrStderr(), total)
		}
		bar.show(done)
	})
	if bar != nil {
		bar.end()
	}
	out := cmd.OutOrStdout()
	switch {
	case err != nil:
		return fmt.Errorf("migrate: %w", err)
	case dry:
		fmt.Fprintf(out, "%d keys would be copied; nothing was\n", m.Keys)
	default:
		fmt.Fprintf(out, "%d keys: %d copied now, %d compared and the same\n", m.Keys, m.Copied, m.Same)
		fmt.Fprintln(out, "Set store.redis and store.prefix to the new place before a daemon starts again.")
	}
	return nil
}
