package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/route"
)

// Shared is a cluster for all tests of a package: to start one takes seconds. Its Run goes in the place of the one of
// testing.M, and ends it.
type Shared struct {
	*testing.M
	once    sync.Once
	cluster *Cluster
	process process
	tests   atomic.Int64
}

// Run runs the tests.
func (s *Shared) Run() int {
	code := s.M.Run()
	for _, end := range s.process.cleanups {
		end()
	}
	return code
}

// Place is a part of the cluster where a test is alone: what its store needs to know, and raw commands for its keys.
func (s *Shared) Place(tb testing.TB) (store.Options, *Redigo) {
	tb.Helper()
	cluster, n := s.start(tb)
	prefix := fmt.Sprintf("{test%d}:", n)
	home := cluster.Masters[Home(route.Slot(prefix))]
	return store.Options{URL: cluster.URL(), Prefix: prefix}, NewRedigo(tb, home.Dial, prefix)
}

// Spread is Place for a store in parts, whose raw commands mean the part of the source home; see InParts.
func (s *Shared) Spread(tb testing.TB, home string) (store.Options, *Redigo) {
	tb.Helper()
	cluster, n := s.start(tb)
	prefix := fmt.Sprintf("test%d:", n)
	return store.Options{URL: cluster.URL(), Prefix: prefix}, cluster.InShards(tb, prefix, home)
}

// start starts the cluster with the first test that asks for it, and counts the tests.
func (s *Shared) start(tb testing.TB) (*Cluster, int64) {
	tb.Helper()
	s.once.Do(func() { s.cluster = NewCluster(&s.process, false) })
	if s.cluster == nil {
		tb.Fatal("the cluster did not start, see above")
	}
	return s.cluster, s.tests.Add(1)
}

// process stands for a test that lasts as long as the process.
type process struct {
	testing.TB
	cleanups []func()
}

func (p *process) Helper() {}

func (p *process) Cleanup(end func()) { p.cleanups = append([]func(){end}, p.cleanups...) }

func (p *process) Error(args ...any) { panic(fmt.Sprint(args...)) }

func (p *process) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func (p *process) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

func (p *process) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
