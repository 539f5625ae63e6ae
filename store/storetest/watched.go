package storetest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// Watched is a master with replicas and the Sentinels that watch it. Its methods belong into the goroutine of the test.
type Watched struct {
	tb        testing.TB
	Servers   []*Server // the first one is the master at first
	Sentinels []*Server
	guard     *Guard
}

// NewWatched starts a master with two replicas, which write each command to disk before they answer, and three Sentinels,
// and returns when all know of each other. A master that is silent for a second is replaced.
func NewWatched(tb testing.TB) *Watched {
	tb.Helper()
	return NewGuardedWatched(tb, nil)
}

// NewGuardedWatched is NewWatched with a guard before each of them. The Sentinels ask for a user of their own.
func NewGuardedWatched(tb testing.TB, guard *Guard) *Watched {
	tb.Helper()
	w := &Watched{tb: tb, guard: guard}
	for i := range 3 {
		arguments := append(guard.arguments(), "--save", "", "--appendonly", "yes", "--appendfsync", "always", "--repl-diskless-sync-delay", "0")
		if i > 0 {
			arguments = append(arguments, "--replicaof", strings.Replace(w.Servers[0].Addr(), ":", " ", 1))
		}
		s := newServer(tb, "tcp", arguments...)
		s.guard = guard
		s.start()
		w.Servers = append(w.Servers, s)
	}
	for range 3 {
		w.Sentinels = append(w.Sentinels, newSentinel(tb, w.Servers[0]))
	}
	for _, s := range w.Sentinels {
		raw := Commands(tb, s.Dial)
		await(tb, "the Sentinels know of each other and of the replicas", func() bool {
			master := raw.StringMap("SENTINEL", "MASTER", "feedwire")
			return master["num-other-sentinels"] == "2" && master["num-slaves"] == "2"
		})
	}
	return w
}

// newSentinel starts a Sentinel, which needs a file of configuration that it may write.
func newSentinel(tb testing.TB, master *Server) *Server {
	tb.Helper()
	s := newServer(tb, "tcp")
	s.guard = master.guard
	host, port, _ := strings.Cut(master.Addr(), ":")
	s.configure("sentinel.conf", fmt.Sprintf("sentinel monitor feedwire %s %s 2\nsentinel down-after-milliseconds feedwire 1000\n"+
		"sentinel failover-timeout feedwire 5000\n", host, port)+s.guard.sentinel())
	s.start()
	return s
}

// URL returns the address of the watched server.
func (w *Watched) URL() string {
	hosts := make([]string, len(w.Sentinels))
	for i, s := range w.Sentinels {
		hosts[i] = s.Addr()
	}
	return w.guard.address("+sentinel", strings.Join(hosts, ","), "/feedwire", sentinelLogin)
}

// Master returns the server that the Sentinels name.
func (w *Watched) Master() *Server {
	w.tb.Helper()
	at := Commands(w.tb, w.Sentinels[0].Dial).Strings("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "feedwire")
	for _, s := range w.Servers {
		if s.Addr() == strings.Join(at, ":") {
			return s
		}
	}
	w.tb.Fatalf("the Sentinels name %v as the master, which is none of the servers", at)
	return nil
}

// AwaitReplicas returns when the master has so many replicas that are up to date but for at most behind bytes.
func (w *Watched) AwaitReplicas(replicas, behind int) {
	w.tb.Helper()
	raw := Commands(w.tb, w.Master().Dial)
	await(w.tb, "the replicas follow", func() bool {
		role := raw.Do("ROLE").([]any)
		at, following := int(role[1].(int64)), 0
		for _, replica := range role[2].([]any) {
			offset, _ := strconv.Atoi(string(replica.([]any)[2].([]byte)))
			if at-offset <= behind {
				following++
			}
		}
		return following >= replicas
	})
}
