package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestErrorsHaveTheirClass(t *testing.T) {
	server := storetest.RedisAOF(t)
	s, impatient := open(t, store.Options{Dial: server.Dial}), open(t, store.Options{Dial: server.Dial, Timeout: 200 * time.Millisecond})
	raw := commands(t, server.Dial)
	uuid := article(t, s, "g1", "v1")
	publish := func() error {
		_, err := s.Publish(t.Context(), uuid, "production", "")
		return err
	}
	expect := func(what string, want core.Class, unavailable bool, err error) {
		t.Helper()
		if got := core.ClassOf(err); got != want || errors.Is(err, feed.ErrUnavailable) != unavailable {
			t.Errorf("%s: class %s, unavailable %v; want %s, %v (%v)", what, got, !unavailable, want, unavailable, err)
		}
	}
	raw.Do("SCRIPT", "FLUSH")
	expect("scripts flushed", core.ClassOK, false, publish())

	raw.Do("CONFIG", "SET", "maxmemory", "1")
	expect("out of memory", core.ClassOOM, true, publish())
	if _, err := s.Articles.Article(t.Context(), uuid, types); err != nil {
		t.Errorf("reading while out of memory: %v", err)
	}
	raw.Do("CONFIG", "SET", "maxmemory", "0")

	raw.Do("REPLICAOF", "127.0.0.1", "1")
	raw.Do("CONFIG", "SET", "replica-serve-stale-data", "yes")
	expect("a replica", core.ClassReadOnly, true, publish())
	raw.Do("REPLICAOF", "NO", "ONE")

	raw.Do("SET", "published_development", "x")
	_, err := s.Publish(t.Context(), uuid, "development", "")
	expect("a key of another type", core.ClassWrongType, false, err)

	server.Stop()
	_, err = impatient.Publish(t.Context(), uuid, "production", "")
	expect("hung", core.ClassTimeout, true, err)
	server.Cont()
	server.Kill()
	expect("gone", core.ClassRefused, true, publish())
	server.Restart()
	expect("back", core.ClassOK, false, publish())
}

func TestGarbageIsNoReply(t *testing.T) {
	dial := func(context.Context) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			_, _ = theirs.Read(make([]byte, 512))
			_, _ = theirs.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
		}()
		return ours, nil
	}
	s := storetest.New(t, store.Options{Dial: dial})
	if _, err := s.Sources.Sources(t.Context()); core.ClassOf(err) != core.ClassClosed || !errors.Is(err, feed.ErrUnavailable) {
		t.Errorf("got class %s: %v", core.ClassOf(err), err)
	}
}

// A restart leaves dead connections in the pool: no call may fail because of them.
func TestNoCallFailsAfterARestart(t *testing.T) {
	server := storetest.RedisAOF(t)
	s := open(t, store.Options{Dial: server.Dial})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if _, err := s.Sources.Sources(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	server.Kill()
	server.Restart()
	for range 32 {
		wg.Go(func() {
			if err := s.Check(t.Context()); err != nil {
				t.Errorf("after the restart: %v", err)
			}
		})
	}
	wg.Wait()
}

// deafConn loses the first reply after each time that it is told to, as a connection does that is cut after the server
// has done its work.
type deafConn struct {
	net.Conn
	lose *atomic.Bool
}

func (c deafConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err == nil && c.lose.CompareAndSwap(true, false) {
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

// A write whose reply was lost has been applied; sending it again must not apply it twice.
func TestALostReplyIsNotCountedTwice(t *testing.T) {
	dial := storetest.Redis(t)
	var lose atomic.Bool
	s := open(t, store.Options{Dial: func(ctx context.Context) (net.Conn, error) {
		c, err := dial(ctx)
		return deafConn{c, &lose}, err
	}})
	lossy := func() { lose.Store(true) }

	lossy()
	uuid := article(t, s, "g1", "v1")
	lossy()
	if tr, err := s.Publish(t.Context(), uuid, "production", "req"); err != nil || tr.Revision != 1 {
		t.Fatalf("publishing: %+v, %v", tr, err)
	}
	// The first call of a script sends its text; from then on the reply lost is that of the script itself.
	if _, err := s.Articles.RecordImpressions(t.Context(), "production", oneFetch("none", nil), 4); err != nil {
		t.Fatal(err)
	}
	for fetch := 1; fetch <= 3; fetch++ {
		lossy()
		got, err := s.Articles.RecordImpressions(t.Context(), "production", oneFetch(fmt.Sprint(fetch), []feed.Impression{{UUID: uuid, Revision: 1}}), 4)
		if err != nil || got.Counted != 1 || got.Known != 1 {
			t.Fatalf("fetch %d: %+v, %v", fetch, got, err)
		}
	}
	if p := placement(t, s, uuid, "production"); len(p.Impressions) != 3 || p.State != feed.StatePublished {
		t.Errorf("three fetches left %+v", p)
	}
	lossy()
	c := claim(t, s)
	lossy()
	e := entry("g1", "One", time.Now())
	if _, err := s.Entries.SaveEntries(t.Context(), c, feed.Document{Entries: []feed.Entry{e}}); err != nil {
		t.Fatal(err)
	}
	if got := kinds(t, s); len(got) != 2 {
		t.Errorf("signals are %v, want feed_created and one post_created", got)
	}
	commands(t, dial).Check(types, feed.ImportAfter)
	if storetest.Sharded() {
		return // where a claim asks first what is due, and the answer to that would be lost
	}

	// A claim cannot be sent again: the second one would claim other sources. The next claim gives the first ones back.
	if err := s.Sources.FinishPoll(t.Context(), &c, &feed.PollResult{State: feed.PollState{NextPoll: time.Now()}}); err != nil {
		t.Fatal(err)
	}
	lossy()
	if _, err := s.Sources.ClaimSources(t.Context(), 1, time.Hour); !errors.Is(err, feed.ErrUnavailable) {
		t.Errorf("a claim whose answer was lost gave %v", err)
	}
	if got, err := s.Sources.ClaimSources(t.Context(), 1, time.Hour); err != nil || len(got) != 1 {
		t.Errorf("the next claim gave %d sources, %v", len(got), err)
	}
}

func TestCheckRefusesANewerLayout(t *testing.T) {
	dial := storetest.Redis(t)
	reg := prometheus.NewRegistry()
	s := open(t, store.Options{Dial: dial, Registerer: reg})
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	commands(t, dial).Do("SET", "schema", core.SchemaVersion+1)
	if err := s.Check(t.Context()); err == nil || errors.Is(err, feed.ErrUnavailable) {
		t.Errorf("a newer layout gave %v", err)
	}
	if problems, err := testutil.GatherAndLint(reg); err != nil || len(problems) > 0 {
		t.Errorf("metrics: %v, %v", problems, err)
	}
}

func TestURLsAreChecked(t *testing.T) {
	for _, url := range []string{"", "localhost:6379", "http://x", "unix://"} {
		if _, err := store.New(store.Options{URL: url}); err == nil {
			t.Errorf("store URL %q was taken", url)
		}
	}
}
