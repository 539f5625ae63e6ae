package storetest

import (
	"runtime"
	"sync"
	"testing"
)

// Findings returns how many errors a check reports. Its first fatal error ends it.
func Findings(tb testing.TB, check func(tb TB)) int {
	tb.Helper()
	found := &findings{TB: tb}
	var running sync.WaitGroup
	running.Go(func() { check(found) }) // a fatal error ends the goroutine
	running.Wait()
	return found.count
}

type findings struct {
	testing.TB
	count int
}

func (f *findings) Errorf(string, ...any) { f.count++ }

func (f *findings) Fatal(...any) {
	f.count++
	runtime.Goexit()
}

func (f *findings) Fatalf(string, ...any) { f.Fatal() }
