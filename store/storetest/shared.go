package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/route"
)

// shared is the cluster of all tests of a package, because to start one takes seconds.
var shared cluster

type cluster struct {
	*testing.M
	once    sync.Once
	cluster *Cluster
	process process
	tests   atomic.Int64
}

// Main runs the tests of a package that uses Each, Place or Spread. It fails if a goroutine is left.
func Main(m *testing.M) {
	shared.M = m
	goleak.VerifyTestMain(&shared, IgnoreLines())
}

// Run runs the tests and ends the cluster.
func (s *cluster) Run() int {
	code := s.M.Run()
	for _, end := range s.process.cleanups {
		end()
	}
	return code
}

// Place returns options for a store on one master of the cluster of the package, and raw commands for its keys.
func Place(tb testing.TB) (store.Options, *Redigo) {
	tb.Helper()
	cluster, n := shared.start(tb)
	prefix := fmt.Sprintf("{test%d}:", n)
	home := cluster.Masters[Home(route.Slot(prefix))]
	return store.Options{URL: cluster.URL(), Prefix: prefix}, NewRedigo(tb, home.Dial, prefix)
}

// Spread returns options for a store in the sharded layout on that cluster. Its raw commands mean the shard of Harbour: see InShards.
func Spread(tb testing.TB) (store.Options, *Redigo) {
	tb.Helper()
	cluster, n := shared.start(tb)
	prefix := fmt.Sprintf("test%d:", n)
	return store.Options{URL: cluster.URL(), Prefix: prefix}, cluster.InShards(tb, prefix, Harbour)
}

// start starts the cluster for the first test that needs it, and counts the tests.
func (s *cluster) start(tb testing.TB) (*Cluster, int64) {
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
