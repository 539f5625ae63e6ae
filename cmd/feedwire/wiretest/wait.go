package wiretest

import (
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// Eventually waits up to a minute for a condition.
func Eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	Within(t, time.Minute, what, is)
}

// Within waits up to limit for a condition.
func Within(t *testing.T, limit time.Duration, what string, is func() bool) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for !is() {
		if time.Now().After(deadline) {
			t.Fatalf("not %s after %v", what, limit)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

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

// Patience bounds waits for a daemon that takes over: a killed daemon holds the leases of its polls for a minute.
const Patience = 3 * time.Minute
