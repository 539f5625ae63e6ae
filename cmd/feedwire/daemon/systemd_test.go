package daemon

import (
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// notified gathers what a daemon tells systemd.
type notified struct {
	mu  sync.Mutex
	all []string
}

// listenAsSystemd opens the socket that systemd has for a service, and makes it and its watchdog known in the environment.
func listenAsSystemd(t *testing.T, watchdog time.Duration) *notified {
	t.Helper()
	dir, err := os.MkdirTemp("", "notify") //nolint:usetesting // its name is short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "socket")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	n := &notified{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for b := make([]byte, 4096); ; {
			size, err := conn.Read(b)
			if err != nil {
				return
			}
			n.mu.Lock()
			n.all = append(n.all, string(b[:size]))
			n.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		_ = conn.Close()
		<-ended
		_ = os.RemoveAll(dir)
	})
	t.Setenv("NOTIFY_SOCKET", path)
	t.Setenv("WATCHDOG_USEC", strconv.FormatInt(watchdog.Microseconds(), 10))
	t.Setenv("WATCHDOG_PID", strconv.Itoa(os.Getpid()))
	return n
}

// states are those that were told so far, without repetitions of the same in a row.
func (n *notified) states() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Compact(slices.Clone(n.all))
}

func (n *notified) count(state string) (times int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, s := range n.all {
		if strings.HasPrefix(s, state) {
			times++
		}
	}
	return times
}

func TestSystemdReceivesTheStateOfTheDaemon(t *testing.T) {
	told := listenAsSystemd(t, 400*time.Millisecond)
	t.Run("a daemon", func(t *testing.T) {
		start(t, storetest.RedisAOF(t), "")
		wiretest.Eventually(t, "fed", func() bool { return told.count("WATCHDOG=1") > 2 && told.count("STATUS=serving 127.0.0.1:") > 0 })
	})
	states := told.states()
	if told.count("READY=1") != 1 || told.count("STOPPING=1") != 1 || states[len(states)-1] != "STOPPING=1" {
		t.Errorf("systemd was told %q", states)
	}
}

func TestSystemdIsNotifiedOfAReload(t *testing.T) {
	told := listenAsSystemd(t, 0)
	done := newSupervisor(slog.New(slog.DiscardHandler)).reloading()
	wiretest.Eventually(t, "told of the beginning", func() bool { return slices.Equal(told.states(), []string{"RELOADING=1"}) })
	done()
	wiretest.Eventually(t, "told of the end", func() bool { return slices.Equal(told.states(), []string{"RELOADING=1", "READY=1"}) })
}

func TestSystemdIsNotNotifiedWithoutSocket(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	t.Setenv("WATCHDOG_USEC", "")
	var log strings.Builder
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := newSupervisor(slog.New(slog.NewTextHandler(&log, nil))).Run(ctx); err != nil || log.Len() > 0 {
		t.Errorf("it ends with %v and logs %q", err, log.String())
	}
}

// hanging is a store whose claims do not come back from a moment on, as after a fault of the program.
type hanging struct {
	ingest.Store
	from, to chan struct{}
}

func (h hanging) ClaimSources(ctx context.Context, most int, lease time.Duration) ([]feed.Claim, error) {
	select {
	case <-h.from:
		<-h.to
	default:
	}
	return h.Store.ClaimSources(ctx, most, lease)
}

func TestWatchdogIsNotFedWhilePollingHangs(t *testing.T) {
	const watchdog = 2 * time.Second
	told := listenAsSystemd(t, watchdog)
	store := hanging{from: make(chan struct{}), to: make(chan struct{})}
	goesOn := sync.OnceFunc(func() { close(store.to) })
	d := startWith(t, storetest.RedisAOF(t), "", func(a *app) {
		store.Store = a.store.Nouns()
		a.ingester = ingest.New(store, ingest.Options{OnTurn: a.systemd.beat, Logger: a.log})
	})
	t.Cleanup(goesOn) // before the daemon is stopped
	wiretest.Eventually(t, "fed", func() bool { return told.count("WATCHDOG=1") > 2 })

	close(store.from)
	wiretest.Eventually(t, "not fed", func() bool {
		fed := told.count("WATCHDOG=1")
		time.Sleep(watchdog) // systemd would restart the daemon now
		return told.count("WATCHDOG=1") == fed
	})
	if status := d.status("/healthz"); status != 200 {
		t.Errorf("/healthz answers %d", status)
	}
	goesOn()
	fed := told.count("WATCHDOG=1")
	wiretest.Eventually(t, "fed again", func() bool { return told.count("WATCHDOG=1") > fed })
}
