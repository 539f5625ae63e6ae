package hub_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
)

// check is one row of what a hub must or should do. It panics with a violation if the hub under test does not.
type check struct {
	row string // what it shows, by the numbers of the tables in the documents of this package
	run func(r *harness)
}

// conformance returns all checks. H is a requirement of the Recommendation for hubs, by section; P one for publishers that applies
// to the hub; R a hub test of websub.rocks; C compatibility with PubSubHubbub 0.3 and 0.4; W a rule of HTTP; N a request to reject;
// X an extension; O an open topic.
func conformance() []check {
	var all []check
	for _, part := range [][]check{requestRows(), verificationRows(), leaseRows(), deliveryRows(), signatureRows(), wireRows(), rocksRows(), openRows()} {
		all = append(all, part...)
	}
	return all
}

// perform runs a check on a hub with a fault (nil: none) and returns the violation, or "".
func perform(tb testing.TB, c check, f *fault) (wrong violation) {
	tb.Helper()
	r := newHarness(tb, f)
	defer func() {
		switch p := recover().(type) {
		case nil:
		case violation:
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
			t.Fatalf("check %s is duplicated", c.row)
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
		// A hub may redirect requests (18) and validate them with the publisher (19). This one does neither.
		if number := fmt.Sprintf("H%02d", n); !shown[number] && n != 18 && n != 19 {
			t.Errorf("no check covers %s", number)
		}
	}
}

// TestEveryFaultIsCaught proves that the suite detects each single fault of a hub.
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
	defer tests.Wait()
	for _, f := range all {
		tests.Go(func() error {
			t.Run(f.name, func(t *testing.T) {
				c, ok := rows[f.caught]
				if !ok {
					t.Fatalf("check %s does not exist", f.caught)
				}
				wrong := perform(t, c, &f)
				if wrong == "" {
					t.Errorf("%s does not detect the fault", f.caught)
				}
				t.Log(wrong)
			})
			return nil
		})
	}
}
