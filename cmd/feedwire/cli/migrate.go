package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/store"
)

// migrateTimeout bounds one call to Redis. A call may transfer a complete stream or document.
const migrateTimeout = time.Minute

func newMigrate() *cobra.Command {
	var to, prefix string
	var dry bool
	cmd := &cobra.Command{
		Use:   "migrate --to URL",
		Short: "Copy all data to another Redis, a cluster or another prefix",
		Long: `Copy all data of the configured store to another Redis, a Redis behind Sentinels, a cluster, or the same Redis with another
prefix. In a cluster, a prefix with a hash tag, such as {feedwire}:, keeps all keys on one node; without a hash tag, keys are
distributed over all nodes. Data can be copied between all layouts.

Stop all daemons that use the store first. The command refuses to run while a daemon is active, and no daemon can start on
either store during the copy. The source store is not changed. Each key is compared on both sides after the copy. Run an
interrupted migration again to continue it; after kill -9, wait 15 seconds. Then set store.redis and store.prefix to the new
location.`,
		Example: `  feedwire migrate --to redis+cluster://n1:6379,n2:6379 --dry-run
  feedwire migrate --to redis+cluster://n1:6379,n2:6379 --to-prefix '{feedwire}:'
  feedwire migrate --to redis://n4:6379 --to-prefix news:`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to == "" {
				return usage(errors.New("--to is required: set it to the URL of the destination"))
			}
			return withStore(cmd, migrateTimeout, func(from *store.Store) error {
				return migrate(cmd, from, store.Options{URL: to, Prefix: prefix, Timeout: migrateTimeout}, dry)
			})
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "URL of the destination, in the form of store.redis")
	cmd.Flags().StringVar(&prefix, "to-prefix", "", "prefix of the keys at the destination, as in store.prefix")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "count the keys and check that the destination is empty; copy nothing")
	return withOptions(cmd)
}

func migrate(cmd *cobra.Command, from *store.Store, place store.Options, dry bool) error {
	there, err := store.New(place)
	if err != nil {
		return usage(err)
	}
	defer there.Close() //nolint:errcheck // all was answered
	bar := terminal.NewProgress(cmd.ErrOrStderr())
	m, err := from.CopyTo(cmd.Context(), there, dry, bar.Show)
	bar.End()
	out := cmd.OutOrStdout()
	switch {
	case err != nil:
		return fmt.Errorf("migrate: %w", err)
	case dry:
		fmt.Fprintf(out, "would copy %d keys\n", m.Keys)
	default:
		fmt.Fprintf(out, "%d keys: %d copied, %d compared and identical\n", m.Keys, m.Copied, m.Same)
		fmt.Fprintln(out, "Set store.redis and store.prefix to the new location before you start a daemon.")
	}
	return nil
}
