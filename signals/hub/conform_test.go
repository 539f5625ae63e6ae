package hub_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
)

// check is one row of what a hub must or should do, as a conversation with a hub under test. It ends with a breach where
// the hub does not.
type check struct {
	row string // what it shows, by the numbers of the tables in the documents of this package
	run func(r *rig)
}

// The rows are numbered thus: H is what the Recommendation demands of a hub, section by section; P what it demands of a
// publisher, as far as the hub is one; R are the hub tests of websub.rocks; C is what hubs of PubSubHubbub 0.3 and 0.4 did
// beside it, W the HTTP of it, N what must be refused, X what hubs have beyond it.
func conformance() []check {
	var all []check
	for _, part := range [][]check{requestRows(), verificationRows(), leaseRows(), deliveryRows(), signatureRows(), wireRows(), rocksRows()} {
		all = append(all, part...)
	}
	return all
}

// perform runs a check on a hub with a fault (nil: none), and returns what the hub did wrong; empty: nothing.
func perform(tb testing.TB, c check, f *fault) (wrong breach) {
	tb.Helper()
	r := newRig(tb, f)
	defer func() {
		switch p := recover().(type) {
		case nil:
		case breach:
			wrong = p
		default:
			panic(p)
		}
	}()
	c.run(r)
	return ""
}

func TestHubConforms(t *testing.T) {
	seen, shown := make(map[string]bool), make(map[string]bool)
	for _, c := range conformance() {
		if seen[c.row] {
			t.Fatalf("%s is there twice", c.row)
		}
		seen[c.row] = true
		for _, number := range strings.Fields(c.row) {
			shown[number] = true
		}
		t.Run(c.row, func(t *testing.T) {
			t.Parallel()
			if wrong := perform(t, c, nil); wrong != "" {
				t.Error(wrong)
			}
		})
	}
	for n := 1; n <= 33; n++ {
		// 18, sending requests elsewhere, and 19, asking the publisher, are what a hub may do, and this one does not.
		if number := fmt.Sprintf("H%02d", n); !shown[number] && n != 18 && n != 19 {
			t.Errorf("no row shows %s", number)
		}
	}
}

// TestEveryFaultIsCaught puts single faults into the hub, and looks that the suite finds each of them: it could not be
// trusted otherwise.
func TestEveryFaultIsCaught(t *testing.T) {
	rows := make(map[string]check)
	for _, c := range conformance() {
		rows[c.row] = c
	}
	t.Parallel()
	all := faults()
	if len(all) < 30 {
		t.Errorf("only %d faults", len(all))
	}
	var tests errgroup.Group // these tests mostly wait, so more of them run at once than t.Parallel would start
	tests.SetLimit(16)
	defer tests.Wait() //nolint:errcheck // always nil
	for _, f := range all {
		tests.Go(func() error {
			t.Run(f.name, func(t *testing.T) {
				c, ok := rows[f.caught]
				if !ok {
					t.Fatalf("there is no check %s", f.caught)
				}
				wrong := perform(t, c, &f)
				if wrong == "" {
					t.Errorf("%s finds nothing wrong", f.caught)
				}
				t.Log(wrong)
			})
			return nil
		})
	}
}
