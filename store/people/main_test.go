package people_test

import (
	"testing"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/people"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// must fails the test if a step of its preparation fails.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// each runs a test on each engine and in each layout.
func each(t *testing.T, test func(t *testing.T, s *people.Store, now *storetest.Clock, raw *storetest.Redigo)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, opts core.Options, now *storetest.Clock, raw *storetest.Redigo) {
		test(t, people.New(storetest.DB(t, opts)), now, raw)
	})
}
