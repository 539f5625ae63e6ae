package people_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/people"
	"github.com/feedwire/feedwire/store/storetest"
)

// shared is the cluster of all tests.
var shared storetest.Shared

func TestMain(m *testing.M) {
	shared.M = m
	goleak.VerifyTestMain(&shared, storetest.IgnoreLines())
}

// each runs a test on each engine and in each layout.
func each(t *testing.T, test func(t *testing.T, s *people.Store, now *storetest.Clock, raw *storetest.Redigo)) {
	t.Helper()
	shared.Each(t, "http://harbour.example/feed.xml", func(t *testing.T, opts core.Options, now *storetest.Clock, raw *storetest.Redigo) {
		test(t, people.New(storetest.DB(t, opts)), now, raw)
	})
}
