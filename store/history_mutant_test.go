//go:build faults

package store_test

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"pgregory.net/rapid"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
)

// mutant is a store that breaks a promise. The zero mutant is the store as it is.
type mutant struct {
	name             string
	script, from, to string // what is changed in it
	after            func(ctx context.Context, s *store.Store, saved feed.Saved, e *feed.Entry, version int)
}

// edit is store.Options.EditScript of the mutant. A text that does not occur exactly once would leave the store as it is.
func (m mutant) edit(name, text string) string {
	if name != m.script {
		return text
	}
	if n := strings.Count(text, m.from); n != 1 {
		panic(fmt.Sprintf("script %s contains %q %d times", name, m.from, n))
	}
	return strings.Replace(text, m.from, m.to, 1)
}

// mutants break one promise each.
func mutants() []mutant {
	return []mutant{
		{
			name:   "impressions are counted without a set of ids",
			script: "record_impressions", from: "local answer = redis.call('GET', KEYS[4 + i])", to: "local answer = false",
		}, {
			name:   "what has four impressions or more is promoted again",
			script: "record_impressions", from: " and redis.call('ZSCORE', KEYS[1], uuid) then", to: " then",
		}, {
			name:   "impressions of an older revision count",
			script: "record_impressions", from: "redis.call('HGET', KEYS[i], 'revision_' .. typ) == revision and ", to: "",
		}, {
			name:   "an article is promoted at its third impression",
			script: "record_impressions", from: "if limit > 0 and n >= limit then", to: "if limit > 0 and n >= limit - 1 then",
		}, {
			name:   "a publish whose answer was lost is done again",
			script: "place_article", from: "if KEYS[10] then\n  local before", to: "if false then\n  local before",
		}, {
			name:   "signals are written outside the script",
			script: "save_entries", from: "local function signal(kind, diff, ...)", to: "local function signal(kind, diff, ...) do return end",
			after: func(ctx context.Context, s *store.Store, saved feed.Saved, e *feed.Entry, version int) {
				if saved.Created+saved.Modified > 0 {
					kind := feed.PostModified
					if version == 1 {
						kind = feed.PostCreated
					}
					_ = s.AppendSignal(ctx, kind, e)
				}
			},
		}, {
			name:   "the signal is forgotten when an entry changes",
			script: "save_entries", from: "signal('post_modified', diff, 'guid'", to: "tostring('post_modified', diff, 'guid'",
		},
	}
}

// Whatever clients do while answers are lost, late or torn, and the server hangs and is killed: the history is one of a
// store that does each call once or not at all, an article is promoted once, at its fourth impression, and each entry has
// its signals. Each store that breaks a promise is found out. -rapid.seed repeats the programs, though not what happens to
// come first in them.
func TestFaultsHistory(t *testing.T) {
	for name, value := range map[string]string{"rapid.checks": "20", "rapid.shrinktime": "1s", "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.Mutex
	var table strings.Builder
	lines := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(lines, "mutant\tcaught by\tin program")
	t.Run("all", func(t *testing.T) {
		for name, parts := range map[string]bool{"kept": false, "kept in parts": true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, mutant{})
				r.parts = parts
				rapid.Check(t, r.property)
				t.Logf("%d programs, %d answers did not come at first", r.rounds, r.hurt)
				if r.hurt < r.rounds {
					t.Error("hardly any answer was lost: nothing is shown")
				}
			})
		}
		for _, m := range mutants() {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				r, found := newRig(t, m), &verdict{T: t}
				for !found.failed && r.rounds < 200 { // one finds the rarest of them about every fourth time
					var check sync.WaitGroup
					check.Go(func() { rapid.Check(found, r.property) }) // which FailNow ends
					check.Wait()
				}
				if !found.failed {
					t.Fatalf("not detected in %d programs", r.rounds)
				}
				by, _, _ := strings.Cut(r.wrong, ":")
				all.Lock()
				defer all.Unlock()
				fmt.Fprintf(lines, "%s\t%s\t%d\n", m.name, by, r.at)
			})
		}
	})
	_ = lines.Flush()
	t.Logf("\n%s", table.String())
}

// verdict takes what rapid finds of a mutant, where it fails no test.
type verdict struct {
	*testing.T
	failed bool
}

// Logf leaves out what is no news.
func (*verdict) Logf(string, ...any)     {}
func (v *verdict) Errorf(string, ...any) { v.failed = true }
func (v *verdict) Failed() bool          { return v.failed }
func (v *verdict) FailNow()              { runtime.Goexit() }
