package wiretest

import (
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store/storetest"
)

// Patience bounds waits for states: a test that fails on a slow machine proves nothing, and one that passes does not wait.
const Patience = 3 * time.Minute

// Recovery bounds the time from the return of the store to normal service: three times what the documentation promises, because
// other tests run at the same time.
const Recovery = 15 * time.Second

// Eventually waits for a condition, up to Patience.
func Eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	Within(t, Patience, what, is)
}

// Within waits up to limit for a condition.
func Within(t *testing.T, limit time.Duration, what string, is func() bool) {
	t.Helper()
	storetest.Await(t, limit, what, is)
}

// StoreTimeout is store.timeout of the daemons of tests. On a busy machine a command that usually takes a millisecond can take seconds.
// Tests of a store that hangs set the default.
const StoreTimeout = "20s"

// FreePort returns a free port below the ephemeral ports of Linux, Windows and macOS, so that no other test and no outgoing
// connection takes it before the program under test does.
func FreePort(t *testing.T) string {
	t.Helper()
	for range 100 {
		port := strconv.Itoa(10_000 + rand.IntN(20_000))
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return ""
}

// ReadFile returns a file of the repository. The path is relative to its root.
func ReadFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Loopback is the network of the subscribers of tests.
const Loopback = "127.0.0.0/8"
