package ops_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// filled is a store with keys of each type, a consumer that has not acknowledged a signal, and a TTL.
func filled(t *testing.T, dial store.DialFunc) *store.Store {
	t.Helper()
	s := storetest.New(t, store.Options{Dial: dial, FirstSignals: 1000})
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	var all []feed.Entry
	now := time.Now().Truncate(time.Second)
	for i := range 300 {
		all = append(all, feed.Entry{FeedURL: harbour, GUID: fmt.Sprint("g", i), Timestamp: now, Title: "One", Published: now})
	}
	save(t, s, all)
	uuid := feed.ArticleUUID(harbour, "g1")
	if _, err := s.Articles.SaveArticle(t.Context(), feed.Article{UUID: uuid, FeedURL: harbour, GUID: "g1", Entry: "Entry:1", Digest: "v1"}); err != nil {
		t.Fatal(err)
	}
	publish := feed.Decision{UUID: uuid, Type: "production", Publish: true}
	if done, err := s.Articles.Decide(t.Context(), "once", []feed.Decision{publish}); err != nil || done[0].Err != nil {
		t.Fatal(done, err)
	}
	if _, err := s.Signals.NextSignals(t.Context(), "desk", "d1", 10, 0); err != nil {
		t.Fatal(err)
	}
	raw := storetest.Commands(t, dial)
	for _, name := range []string{"ann", "bob"} {
		if err := s.People.AddAccount(t.Context(), feed.Account{Name: name, Role: feed.RoleAdmin}); err != nil {
			t.Fatal(err)
		}
	}
	// As if the daemon d1 had not been here for long.
	raw.Do("XGROUP", "DELCONSUMER", "signals", "desk", "d1")
	return s
}

func TestCopyToAnotherLayoutAndBack(t *testing.T) {
	dial := storetest.Redis(t)
	s := filled(t, dial)
	options, raw := storetest.Place(t)
	there := storetest.New(t, options)
	if m, err := s.CopyTo(t.Context(), there, true, nil); err != nil || m.Keys < 300 || len(raw.Keys("*")) > 0 {
		t.Fatalf("the dry run found %+v and left %v, %v", m, raw.Keys("*"), err)
	}
	last, total := 0, 0
	m, err := s.CopyTo(t.Context(), there, false, func(done, of int) { last, total = done, of })
	if err != nil || m.Copied != m.Keys || m.Same != m.Keys || last != total || total != 2*m.Keys {
		t.Fatalf("copied %+v, told %d of %d, %v", m, last, total, err)
	}
	if err := there.Check(t.Context()); err != nil {
		t.Error(err)
	}
	raw.Check([]string{"production", "development"}, feed.ImportAfter)
	if left := raw.Int("TTL", raw.Keys("request:once*")[0]); left < 86000 || left > 86400 {
		t.Errorf("a TTL of a day is %d s in the copy", left)
	}
	got, err := there.Signals.Signals(t.Context(), "", 1000, 0)
	if want, err2 := s.Signals.Signals(t.Context(), "", 1000, 0); err != nil || err2 != nil || len(got) != len(want) {
		t.Errorf("%d of %d signals, %v %v", len(got), len(want), err, err2)
	}
	back := storetest.New(t, store.Options{Dial: dial, Prefix: "back:"})
	if m, err := there.CopyTo(t.Context(), back, false, func(int, int) {}); err != nil || m.Same < 300 {
		t.Errorf("copied back %+v, %v", m, err)
	}
}

func TestCopyGoesOnAfterAnInterruption(t *testing.T) {
	t.Parallel()
	dial, other := storetest.Redis(t), storetest.Redis(t)
	s, to := filled(t, dial), storetest.New(t, store.Options{Dial: other})
	ctx, cancel := context.WithCancel(t.Context())
	m, err := s.CopyTo(ctx, to, false, func(done, total int) {
		if done > total/4 {
			cancel()
		}
	})
	if err == nil || m.Copied == 0 {
		t.Fatalf("the interrupted copy ended with %+v, %v", m, err)
	}
	if err := to.Check(t.Context()); err == nil || errors.Is(err, feed.ErrUnavailable) || !strings.Contains(err.Error(), "incomplete copy") {
		t.Errorf("the half copy is taken: %v", err)
	}
	// What was copied and has changed since is copied again.
	storetest.Commands(t, dial).Do("HSET", "Entry:1", "title", "changed")
	again, err := s.CopyTo(t.Context(), to, false, func(int, int) {})
	both := again.Copied + m.Copied // Check may have written two of the keys itself
	if err != nil || both > again.Keys || both < again.Keys-2 || again.Same != again.Keys {
		t.Errorf("after %+v the second run copied %+v, %v", m, again, err)
	}
	if err := to.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if e, err := to.Entries.Entry(t.Context(), "Entry:1"); err != nil || e.Title != "changed" {
		t.Errorf("the entry is %q, %v", e.Title, err)
	}
}

func TestCopyIsRefused(t *testing.T) {
	t.Parallel()
	dial := storetest.Redis(t)
	s, raw := filled(t, dial), storetest.Commands(t, dial)
	full := storetest.Redis(t)
	storetest.Commands(t, full).Do("SET", "precious", 1)
	refused := func(to store.DialFunc, why string) {
		t.Helper()
		_, err := s.CopyTo(t.Context(), storetest.New(t, store.Options{Dial: to}), false, func(int, int) {})
		if !errors.Is(err, feed.ErrConflict) || !strings.Contains(err.Error(), why) {
			t.Errorf("got %v, want %q", err, why)
		}
	}
	refused(full, "precious")

	stray := storetest.Redis(t)
	storetest.Commands(t, stray).Do("SET", "closed", fmt.Sprintf("copy %s", raw.Do("GET", "installation")))
	storetest.Commands(t, stray).Do("SET", "precious", 1)
	refused(stray, "precious")

	within := storetest.New(t, store.Options{Dial: dial, Prefix: "copy:"})
	if _, err := s.CopyTo(t.Context(), within, false, func(int, int) {}); !errors.Is(err, feed.ErrConflict) || !strings.Contains(err.Error(), "another prefix") {
		t.Errorf("a copy among the keys that are copied: %v", err)
	}
	other := storetest.Redis(t)
	storetest.Commands(t, other).Do("SET", "closed", "copy another")
	refused(other, "copy or restore of another store")

	raw.Do("SET", "closed", "migrate another")
	refused(storetest.Redis(t), "being copied by feedwire migrate")
	raw.Do("DEL", "closed")

	raw.Do("XREADGROUP", "GROUP", "desk", "busy", "COUNT", 1, "STREAMS", "signals", ">")
	refused(storetest.Redis(t), "the daemon busy")
	if left := raw.Strings("KEYS", "*closed"); len(left) > 0 {
		t.Errorf("the store that was not copied is left with %v", left)
	}
}

// While it is copied, daemons do not begin on the store, and one that runs waits; whatever ends the copy opens it again.
func TestStoreThatIsCopiedIsClosed(t *testing.T) {
	t.Parallel()
	dial, other := storetest.Redis(t), storetest.Redis(t)
	s, raw := filled(t, dial), storetest.Commands(t, dial)
	for _, ends := range []string{"interrupted", "overtaken", "read by a daemon", "whole"} {
		runs, starts := storetest.New(t, store.Options{Dial: dial}), storetest.New(t, store.Options{Dial: dial})
		if err := runs.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var once sync.Once
		_, err := s.CopyTo(ctx, storetest.New(t, store.Options{Dial: other}), false, func(int, int) {
			once.Do(func() {
				if err := starts.Check(ctx); err == nil || errors.Is(err, feed.ErrUnavailable) || !strings.Contains(err.Error(), "feedwire migrate") {
					t.Errorf("a daemon that starts: %v", err)
				}
				if err := runs.Check(ctx); !errors.Is(err, feed.ErrUnavailable) {
					t.Errorf("a daemon that runs: %v", err)
				}
				if _, _, err := runs.Sources.AddSource(ctx, feed.Source{URL: "http://late.example/feed"}); core.ClassOf(err) != core.ClassEmptied {
					t.Errorf("a daemon that runs adds a source: %v", err)
				}
				if left := raw.Int("PTTL", "closed"); left <= 0 || left > 15_000 {
					t.Errorf("the mark lasts for %d ms", left)
				}
				switch ends {
				case "interrupted":
					cancel()
				case "overtaken":
					raw.Do("SET", "closed", "restore another")
				case "read by a daemon":
					raw.Do("XREADGROUP", "GROUP", "desk", "late", "COUNT", 1, "STREAMS", "signals", ">")
				}
			})
		})
		cancel()
		switch says := map[string]string{"interrupted": "canceled", "overtaken": "a backup is being restored", "read by a daemon": "the daemon late"}[ends]; {
		case says == "" && err != nil, says != "" && (err == nil || !strings.Contains(err.Error(), says)):
			t.Errorf("%s: %v", ends, err)
		}
		if ends == "overtaken" {
			raw.Do("DEL", "closed")
		}
		if err := runs.Check(t.Context()); err != nil {
			t.Errorf("%s, a daemon goes on: %v", ends, err)
		}
		if _, err := runs.Sources.Sources(t.Context()); err != nil {
			t.Errorf("%s, a daemon reads: %v", ends, err)
		}
		if err := starts.Check(t.Context()); err != nil {
			t.Errorf("%s, a daemon starts: %v", ends, err)
		}
		raw.Do("XGROUP", "DELCONSUMER", "signals", "desk", "late")
	}
}
