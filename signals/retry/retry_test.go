package retry_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/store/feed"
)

func TestDoReportsTheFirstFailureAndTheRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var events []string
		calls := 0
		got, err := retry.Do(t.Context(), retry.Options{
			Failing:   func(error) { events = append(events, "failing") },
			Recovered: func() { events = append(events, "recovered") },
		}, func() (int, error) {
			if calls++; calls < 4 {
				return 0, feed.ErrUnavailable
			}
			return calls, nil
		})
		if got != 4 || err != nil || !slices.Equal(events, []string{"failing", "recovered"}) {
			t.Errorf("got %d, %v and %v after %d calls", got, err, events, calls)
		}
	})
}

func TestDoEnds(t *testing.T) {
	final := errors.New("it exists")
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		opts retry.Options
		err  error // of each call
		want error
	}{
		{"final error", context.Background(), retry.Options{Final: retry.NotUnavailable}, final, final},
		{"limit", context.Background(), retry.Options{Limit: 5 * time.Second, Final: retry.NotUnavailable}, feed.ErrUnavailable, feed.ErrUnavailable},
		{"end of the context", ended, retry.Options{}, final, context.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				_, err := retry.Do(tt.ctx, tt.opts, func() (struct{}, error) { return struct{}{}, tt.err })
				if !errors.Is(err, tt.want) || time.Since(start) > 5*time.Second {
					t.Errorf("got %v after %v, want %v", err, time.Since(start), tt.want)
				}
			})
		})
	}
}

func TestAwaitEndsWithATokenOrItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, token := time.Now(), make(chan struct{}, 1)
		retry.Wake(token)
		retry.Wake(token) // a second token has no effect
		retry.Await(t.Context(), token, time.Minute)
		if waited := time.Since(start); waited != 0 {
			t.Errorf("waited %v with a token", waited)
		}
		retry.Await(t.Context(), token, time.Minute)
		if waited := time.Since(start); waited != time.Minute {
			t.Errorf("waited %v without a token", waited)
		}
	})
}

func TestReportCountsWhatTheStoreCannotServe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r retry.Report
		var logged []int
		fail := func(times int, err error) {
			for range times {
				r.Failed(err, func(count int) { logged = append(logged, count) })
			}
		}
		fail(30, fmt.Errorf("find a callback: %w", feed.ErrUnavailable))
		fail(2, feed.ErrConflict)
		time.Sleep(10 * time.Second)
		fail(30, feed.ErrUnavailable)
		if want := []int{1, 1, 1, 30}; !slices.Equal(logged, want) {
			t.Errorf("logged %v, want %v", logged, want)
		}
	})
}
