package core_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const (
	harbour = storetest.Harbour
	other   = "http://other.example/feed"
)

// appendSignal writes into the outbox of a source, as a script does.
func appendSignal(ctx context.Context, db *core.DB, url, guid string) error {
	return appendTo(ctx, db, db.Source(url), url, guid)
}

// appendTo writes into an outbox.
func appendTo(ctx context.Context, db *core.DB, k core.Keyspace, url, guid string) error {
	_, err := db.Do(ctx, "signals", "XADD", k.Outbox(), "*", "feed_url", url, "guid", guid)
	return err
}

// guids are the signals that readers get, by source.
func guids(t *testing.T, db *core.DB) map[string][]string {
	t.Helper()
	records, err := core.Records(db.Do(t.Context(), "signals", "XRANGE", db.Signals(), "-", "+"))
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string][]string)
	for _, r := range records {
		all[r.Fields["feed_url"]] = append(all[r.Fields["feed_url"]], r.Fields["guid"])
	}
	return all
}

// spread returns options for the shared cluster in the sharded layout.
func spread(t *testing.T) (core.Options, *storetest.Redigo) {
	t.Helper()
	options, raw := storetest.Spread(t)
	return core.Options{URL: options.URL, Prefix: options.Prefix}, raw
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func numbered(n int) string { return fmt.Sprint("g", n) }
