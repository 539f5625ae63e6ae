package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/feedwire/feedwire/store/embedded"
)

// The ports of servers, which the kernel gives to no client, and those of their cluster buses, which are busOffset higher.
const (
	firstPort  = 10000
	busOffset  = 10000
	blockCount = 100
	blockSize  = 100
)

// block holds the ports that no other process of tests uses, as long as this one runs. A free port is not enough: another process may
// find the same one before a server listens there, or while a test has killed the server.
type block struct {
	mu    sync.Mutex
	lock  *embedded.DirLock // nil: not yet reserved
	first int
	next  int
	used  [blockSize]bool
}

var ports block

// reserve locks a block that no other process has.
func (b *block) reserve() error {
	parent := filepath.Join(os.TempDir(), fmt.Sprint("feedwire-test-ports-", os.Getuid()))
	start := rand.IntN(blockCount) //nolint:gosec // no secret
	var err error
	for i := range blockCount {
		n := (start + i) % blockCount
		if b.lock, err = embedded.Lock(filepath.Join(parent, strconv.Itoa(n))); err == nil {
			b.first = firstPort + n*blockSize
			return nil
		}
	}
	return fmt.Errorf("no block of ports is free: %w", err)
}

// take returns an unused port whose port of the bus is unused, too.
func (b *block) take() (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lock == nil {
		if err := b.reserve(); err != nil {
			return 0, err
		}
	}
	for range blockSize {
		i := b.next % blockSize
		b.next++
		if port := b.first + i; !b.used[i] && unused(port) && unused(port+busOffset) {
			b.used[i] = true
			return port, nil
		}
	}
	return 0, fmt.Errorf("no port from %d to %d is free", b.first, b.first+blockSize-1)
}

func (b *block) release(port int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used[port-b.first] = false
}

// unused reports whether a program that is no test leaves a port free.
func unused(port int) bool {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return false
	}
	_ = l.Close() // without connections
	return true
}

// reserveAddr returns an address of this machine that no other test uses until the test ends.
func reserveAddr(tb testing.TB) string {
	tb.Helper()
	port, err := ports.take()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { ports.release(port) })
	return fmt.Sprintf("127.0.0.1:%d", port)
}
