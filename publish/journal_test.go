package publish_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/store/feed"
)

// life is one run of a Publisher over a directory, up to its end.
type life struct {
	t    *testing.T
	dir  string
	feed feed.Outgoing
	log  logged
	reg  *prometheus.Registry
	*publish.Publisher
}

// logged is what was logged so far.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newLife(t *testing.T, dir string, store publish.Store, journalBytes ...int64) *life {
	l := &life{t: t, dir: dir, feed: production(), reg: prometheus.NewRegistry()}
	l.feed.RetireAfter = 1000
	l.Publisher = publish.New(store, []feed.Outgoing{l.feed}, publish.Options{
		Dir: dir, JournalBytes: append(journalBytes, 0)[0], Logger: slog.New(slog.NewTextHandler(&l.log, nil)), Registerer: l.reg,
	})
	return l
}

// fetch takes the feed as the consumer does, to the end.
func (l *life) fetch() *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "/feed/production", nil)
	r.SetPathValue("type", "production")
	r.Header.Set("User-Agent", crawler)
	w := httptest.NewRecorder()
	l.ServeHTTP(w, r)
	return w
}

// run runs until what is done, and logs what was logged if that fails.
func (l *life) run(do func()) {
	l.t.Helper()
	ctx, cancel := context.WithCancel(l.t.Context())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	do()
	cancel()
	if err := <-done; err != nil {
		l.t.Errorf("Run: %v", err)
	}
}

func (l *life) journal() string { return filepath.Join(l.dir, "impressions", "production.journal") }

func (l *life) journalSize() int64 {
	info, err := os.Stat(l.journal())
	if err != nil {
		return -1
	}
	return info.Size()
}

// outage has a Publisher serve n fetches while the store is unavailable, and end.
func outage(t *testing.T, dir string, m *memory, n int) *life {
	t.Helper()
	m.set(func() { m.down = false })
	l := newLife(t, dir, m)
	l.run(func() {
		l.fetch()
		eventually(t, "the first fetch is recorded", func() bool { return l.Idle("production") })
		m.set(func() { m.down = true })
		for range n {
			l.fetch()
		}
	})
	if size := l.journalSize(); size <= 0 {
		t.Fatalf("the journal has %d bytes\n%s", size, l.log.String())
	}
	return l
}

func TestFetchesOfAnOutageSurviveARestart(t *testing.T) {
	dir, m := t.TempDir(), newMemory(stories(2)...)
	outage(t, dir, m, 20)
	if m.done() != 1 {
		t.Fatalf("%d fetches were recorded during the outage", m.done()-1)
	}
	m.set(func() { m.down, m.lose = false, 1 }) // and the first answer is lost
	l := newLife(t, dir, m)
	l.run(func() {
		eventually(t, "the journal is recorded", func() bool { return l.journalSize() == 0 })
	})
	if m.done() != 21 || m.total() != 42 {
		t.Errorf("%d fetches and %d impressions are recorded, want 21 and 42\n%s", m.done(), m.total(), l.log.String())
	}
}

func TestJournalReplayedTwiceCountsOnce(t *testing.T) {
	dir, m := t.TempDir(), newMemory(stories(2)...)
	l := outage(t, dir, m, 5)
	before, err := os.ReadFile(l.journal())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // a kill after the recording would leave the file as it was
		if err := os.WriteFile(l.journal(), before, 0o600); err != nil {
			t.Fatal(err)
		}
		m.set(func() { m.down = false })
		l := newLife(t, dir, m)
		l.run(func() {
			eventually(t, "the journal is recorded", func() bool { return l.journalSize() == 0 })
		})
	}
	if m.done() != 6 {
		t.Errorf("%d fetches are recorded, want 6", m.done())
	}
}

func TestImpressionsWithLostReplyAreCountedOnce(t *testing.T) {
	m := newMemory(stories(2)...)
	m.die = true
	l := newLife(t, t.TempDir(), m)
	l.run(func() {
		for range 3 {
			l.fetch()
			eventually(t, "in the journal", func() bool { return l.Idle("production") })
		}
		if m.done() != 1 {
			t.Fatalf("%d fetches are recorded, want the first", m.done())
		}
		m.set(func() { m.down = false })
		eventually(t, "the journal is recorded", func() bool { return l.journalSize() == 0 })
	})
	text := `# HELP feedwire_impressions_total Impressions reported to the store, by what it did with them.
# TYPE feedwire_impressions_total counter
feedwire_impressions_total{feed="production",outcome="counted"} 6
feedwire_impressions_total{feed="production",outcome="duplicate"} 2
feedwire_impressions_total{feed="production",outcome="ignored"} 0
`
	if err := testutil.GatherAndCompare(l.reg, strings.NewReader(text), "feedwire_impressions_total"); err != nil {
		t.Error(err)
	}
	if m.total() != 6 {
		t.Errorf("the store has %d impressions, want 6", m.total())
	}
}

func TestDamagedJournalLineCostsOnlyItself(t *testing.T) {
	m := newMemory(stories(2)...)
	dir := t.TempDir()
	l := outage(t, dir, m, 3)
	whole, err := os.ReadFile(l.journal())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n") // a list, and batches of it; the last is empty
	last := lines[len(lines)-2]
	for _, tt := range []struct {
		name, content, logged string
		lost                  bool // the fetches of the last line
	}{
		{"torn end", strings.TrimSuffix(string(whole), last) + last[:len(last)/2], "torn", true},
		{"no end of line", string(whole[:len(whole)-1]), "torn", true},
		{"damaged line", strings.TrimSuffix(string(whole), last) + strings.ToUpper(last), "damaged line", true},
		{"list lost", strings.ToUpper(lines[0]) + string(whole[len(lines[0]):]), "its list is lost", true},
		{"garbage before", "x\n" + string(whole), "damaged line", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newMemory(stories(2)...)
			dir := t.TempDir()
			l := newLife(t, dir, m)
			if err := os.MkdirAll(filepath.Dir(l.journal()), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(l.journal(), []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			l.run(func() {
				eventually(t, "the journal is recorded", func() bool { return l.journalSize() == 0 })
			})
			if full := m.done() == 3; full == tt.lost {
				t.Errorf("%d of 3 fetches are recorded", m.done())
			}
			if !strings.Contains(l.log.String(), tt.logged) || !strings.Contains(l.log.String(), "offset=") {
				t.Errorf("the log does not tell %q with file and offset:\n%s", tt.logged, l.log.String())
			}
		})
	}
}

func TestFetchesWaitInMemoryIfTheJournalRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, logged string
		limit        int64
		prepare      func(t *testing.T, l *life)
	}{
		{"full", "size limit reached", 100, func(*testing.T, *life) {}},
		{"no directory", "no journal", 0, func(t *testing.T, l *life) {
			if err := os.WriteFile(filepath.Dir(l.journal()), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newMemory(stories(2)...)
			l := newLife(t, t.TempDir(), m, tt.limit)
			tt.prepare(t, l)
			l.run(func() {
				l.fetch()
				eventually(t, "the first fetch is recorded", func() bool { return l.Idle("production") })
				m.set(func() { m.down = true })
				for i := range 20 {
					if w := l.fetch(); w.Code != 200 {
						t.Fatalf("fetch %d got %d", i, w.Code)
					}
				}
				eventually(t, "the log tells "+tt.logged, func() bool { return strings.Contains(l.log.String(), tt.logged) })
				m.set(func() { m.down = false })
				eventually(t, "all is recorded", func() bool { return l.Idle("production") && l.journalSize() <= 0 })
			})
			if m.done() != 21 {
				t.Errorf("%d of 21 fetches are recorded\n%s", m.done(), l.log.String())
			}
		})
	}
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte(`0 {"list":"a","id":"x","times":1}` + "\n"))
	f.Add([]byte("\n\n \nffffffff {}\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		m := newMemory(stories(1)...)
		m.down = true
		l := newLife(t, dir, m)
		if err := os.MkdirAll(filepath.Dir(l.journal()), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(l.journal(), content, 0o600); err != nil {
			t.Fatal(err)
		}
		m.set(func() { m.down = false })
		l.run(func() {
			for deadline := time.Now().Add(10 * time.Second); l.journalSize() != 0; time.Sleep(time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("the journal is not worked off\n%s", l.log.String())
				}
			}
		})
	})
}
