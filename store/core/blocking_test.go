package core_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestBlockingReadEndsWithItsContext(t *testing.T) {
	test := func(t *testing.T, options core.Options) {
		db := storetest.DB(t, options)
		must(t, db.Check(t.Context()))
		before := db.FailoverEpoch()
		ctx, cancel := context.WithCancel(t.Context())
		defer time.AfterFunc(20*time.Millisecond, cancel).Stop()
		start := time.Now()
		_, err := db.DoBlocking(ctx, "xread", time.Minute, "XREAD", "BLOCK", 60_000, "STREAMS", db.Signals(), "$")
		if took := time.Since(start); !errors.Is(err, context.Canceled) || took > 10*time.Second {
			t.Errorf("after %v: %v", took, err)
		}
		must(t, appendSignal(t.Context(), db, harbour, "g1")) // the next call has a connection that works
		if db.FailoverEpoch() != before {
			t.Error("a cancelled read counts as a failover")
		}
	}
	storetest.Engines(t, func(t *testing.T, dial core.DialFunc) { test(t, core.Options{Dial: dial}) })
	t.Run("cluster", func(t *testing.T) {
		options, _ := spread(t)
		test(t, options)
	})
}

// A blocking read may wait longer than Options.Timeout. It returns when the first record arrives.
func TestBlockingReadOutlastsTheTimeout(t *testing.T) {
	storetest.Engines(t, func(t *testing.T, dial core.DialFunc) {
		t.Parallel()
		const timeout = time.Second
		db, other := storetest.DB(t, core.Options{Dial: dial, Timeout: timeout}), storetest.DB(t, core.Options{Dial: dial, Timeout: time.Minute})
		appended := make(chan error, 1)
		time.AfterFunc(timeout+100*time.Millisecond, func() { appended <- appendSignal(context.Background(), other, harbour, "g1") })
		reply, err := db.DoBlocking(t.Context(), "xread", time.Minute, "XREAD", "BLOCK", 60_000, "STREAMS", db.Signals(), "0")
		if records, parsed := core.StreamRecords(reply, nil); err != nil || parsed != nil || len(records) != 1 {
			t.Errorf("got %v, %v, %v", records, err, parsed)
		}
		must(t, <-appended) // before other closes
	})
}
