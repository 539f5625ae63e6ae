package entry_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/storetest"
)

// The number of an entry determines where it is. An entry that was copied from the default layout kept its number, and is found by
// a search.
func TestLookupByIDReadsOneKey(t *testing.T) {
	options := map[string]store.Options{"default": {}, "sharded": {Sharded: true}}
	for name, opts := range options {
		t.Run(name, func(t *testing.T) {
			opts.Dial = storetest.Redis(t)
			s, server := storetest.New(t, opts), storetest.Commands(t, opts.Dial)
			e := entry("g1", "T", time.Now())
			if err := s.Entries.SaveEntry(t.Context(), &e); err != nil {
				t.Fatal(err)
			}
			lookups := func(id string) int {
				t.Helper()
				server.Do("CONFIG", "RESETSTAT")
				if found, err := s.Entries.Entry(t.Context(), id); err != nil || found.GUID != "g1" {
					t.Fatalf("%s: %+v, %v", id, found, err)
				}
				calls := 0
				for line := range strings.Lines(string(server.Do("INFO", "commandstats").([]byte))) {
					if rest, ok := strings.CutPrefix(line, "cmdstat_hgetall:calls="); ok {
						number, _, _ := strings.Cut(rest, ",")
						calls, _ = strconv.Atoi(number)
					}
				}
				return calls
			}
			if n := lookups(e.ID); n != 1 {
				t.Errorf("a lookup read %d keys", n)
			}
			if !opts.Sharded {
				return
			}
			tag := storetest.ShardTag(harbour)
			server.Do("RENAME", tag+e.ID, tag+"Entry:1000001") // a number of another shard
			if n := lookups("Entry:1000001"); n < 2 {
				t.Errorf("Entry:1000001 was expected in another shard, and %d keys were read", n)
			}
		})
	}
}
