package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"

	"github.com/feedwire/feedwire/signals/retry"
)

// supervisor reports the state of the daemon to systemd (sd_notify(3)). It is a no-op if systemd did not start the daemon.
//
// Only the loop that polls feeds the watchdog: a restart helps a daemon whose loop hangs, but not one whose store is unavailable.
type supervisor struct {
	log      *slog.Logger
	lastBeat atomic.Pointer[time.Time]
}

func newSupervisor(log *slog.Logger) *supervisor { return &supervisor{log: log} }

// beat records an iteration of the loop.
func (s *supervisor) beat() { s.lastBeat.Store(new(time.Now())) }

// Run reports that the daemon is ready, feeds the watchdog while the loop iterates, and reports the end. The error is always nil:
// the daemon continues if systemd cannot be notified.
func (s *supervisor) Run(ctx context.Context) error {
	defer s.notify(sd.SdNotifyStopping)
	s.beat() // the loop starts now
	s.notify(sd.SdNotifyReady)
	limit, err := sd.SdWatchdogEnabled(false)
	if err != nil {
		s.log.Warn("watchdog of systemd not fed", "err", err)
	}
	if limit == 0 {
		<-ctx.Done()
		return nil
	}
	for hung := false; retry.Await(ctx, nil, limit/4); {
		if silence := time.Since(*s.lastBeat.Load()); silence <= limit/2 {
			s.notify(sd.SdNotifyWatchdog)
			hung = false
		} else if !hung {
			s.log.Error("polling hangs; watchdog of systemd no longer fed", "for", silence, "limit", limit)
			hung = true
		}
	}
	return nil
}

// reloading reports a reload that lasts until the caller calls done.
func (s *supervisor) reloading() (done func()) {
	s.notify(sd.SdNotifyReloading)
	return func() { s.notify(sd.SdNotifyReady) }
}

// status sets the line that systemctl status prints.
func (s *supervisor) status(format string, args ...any) {
	s.notify("STATUS=" + strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " "))
}

func (s *supervisor) notify(state string) {
	if _, err := sd.SdNotify(false, state); err != nil {
		s.log.Warn("systemd not notified", "state", state, "err", err)
	}
}
