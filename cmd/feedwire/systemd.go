package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"
)

// supervisor tells systemd how the daemon is (sd_notify(3)), where systemd has started it; elsewhere it tells nobody.
//
// The watchdog is fed by the loop that polls, and by nothing else: a daemon whose store is away is well, and a restart would
// not bring the store back; one whose loop hangs looks well from outside, and only a restart helps.
type supervisor struct {
	log    *slog.Logger
	born   time.Time
	turned atomic.Int64 // when the loop last turned, in nanoseconds since born
}

func newSupervisor(log *slog.Logger) *supervisor { return &supervisor{log: log, born: time.Now()} }

// turn is told that the loop turns.
func (s *supervisor) turn() { s.turned.Store(int64(time.Since(s.born))) }

// still is how long the loop has not turned.
func (s *supervisor) still() time.Duration {
	return time.Since(s.born) - time.Duration(s.turned.Load())
}

// Run says that the daemon is ready, feeds the watchdog while the loop turns, and says in the end that the daemon stops. The
// error is always nil: a daemon that cannot speak to systemd works on, and systemd decides what that means.
func (s *supervisor) Run(ctx context.Context) error {
	defer s.tell(sd.SdNotifyStopping)
	s.turn() // the loop begins now
	s.tell(sd.SdNotifyReady)
	limit, err := sd.SdWatchdogEnabled(false)
	if err != nil {
		s.log.Warn("systemd is not told that the daemon is alive", "err", err)
	}
	if limit == 0 {
		<-ctx.Done()
		return nil
	}
	for hung := false; sleep(ctx, limit/4); {
		if still := s.still(); still <= limit/2 {
			s.tell(sd.SdNotifyWatchdog)
			hung = false
		} else if !hung {
			s.log.Error("polling hangs; systemd is not told any more that the daemon is alive", "for", still, "limit", limit)
			hung = true
		}
	}
	return nil
}

// reloading says that the daemon takes a configuration over, until done is called: systemctl reload comes back then.
func (s *supervisor) reloading() (done func()) {
	s.tell(sd.SdNotifyReloading)
	return func() { s.tell(sd.SdNotifyReady) }
}

// status is the line that systemctl status shows.
func (s *supervisor) status(format string, args ...any) {
	s.tell("STATUS=" + strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " "))
}

func (s *supervisor) tell(state string) {
	if _, err := sd.SdNotify(false, state); err != nil {
		s.log.Warn("systemd is not told", "state", state, "err", err)
	}
}
