package publish_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/store/feed"
)

func (l *life) copy() string { return filepath.Join(l.dir, "copies", "production.copy") }

// copied has a Publisher serve a feed and write its copy, and gives the answer.
func copied(t *testing.T, dir string, m *memory) (etag, body string) {
	t.Helper()
	l := newLife(t, dir, m)
	l.run(func() {
		w := l.fetch()
		etag, body = w.Header().Get("Etag"), w.Body.String()
	})
	if _, err := os.Stat(l.copy()); err != nil {
		t.Fatalf("no copy: %v\n%s", err, l.log.String())
	}
	return etag, body
}

func TestStartWithoutStoreServesLastGoodCopy(t *testing.T) {
	dir, m := t.TempDir(), newMemory(stories(3)...)
	etag, body := copied(t, dir, m)
	m.set(func() { m.down = true })
	l := newLife(t, dir, m)
	l.run(func() {
		w := l.fetch()
		if w.Code != 200 || w.Header().Get("X-Feedwire-Stale") != "1" || w.Header().Get("X-Feedwire-Impressions") != "counted" {
			t.Fatalf("got %d %v\n%s", w.Code, w.Header(), l.log.String())
		}
		if w.Header().Get("Etag") != etag || w.Body.String() != body {
			t.Errorf("the copy is another document: %s, want %s", w.Header().Get("Etag"), etag)
		}
		m.set(func() { m.down = false; m.articles[0].Title, m.articles[0].Digest = "Edited", "edited" })
		eventually(t, "the feed is up to date", func() bool {
			w := l.fetch()
			return w.Header().Get("X-Feedwire-Stale") == "" && strings.Contains(w.Body.String(), "Edited")
		})
		eventually(t, "all is recorded", func() bool { return l.Idle("production") && l.journalSize() == 0 })
	})
	if m.done() < 3 || m.total() != 3*m.done() {
		t.Errorf("%d fetches and %d impressions are recorded; the fetch of the copy showed 3 articles", m.done(), m.total())
	}
}

func TestDamagedOrForeignCopyIsNotServed(t *testing.T) {
	dir, m := t.TempDir(), newMemory(stories(1)...)
	copied(t, dir, m)
	whole, err := os.ReadFile(filepath.Join(dir, "copies", "production.copy"))
	if err != nil {
		t.Fatal(err)
	}
	m.set(func() { m.down = true })
	same := func(*feed.Outgoing) {}
	for _, tt := range []struct {
		name    string
		content []byte
		change  func(*feed.Outgoing)
		code    int
	}{
		{"as it was", whole, same, 200},
		{"a password now", whole, func(f *feed.Outgoing) { f.Username, f.Password = "a", "b" }, 401},
		{"another title", whole, func(f *feed.Outgoing) { f.Title = "Other" }, 503},
		{"another profile", whole, func(f *feed.Outgoing) { f.Profile = "other" }, 503},
		{"torn", whole[:len(whole)-1], same, 503},
		{"damaged", bytes.Replace(whole, []byte("Story"), []byte("Storx"), 1), same, 503},
		{"empty", nil, same, 503},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLife(t, t.TempDir(), m)
			if err := os.MkdirAll(filepath.Dir(l.copy()), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(l.copy(), tt.content, 0o600); err != nil {
				t.Fatal(err)
			}
			tt.change(&l.feed)
			l.Publisher = publish.New(m, []feed.Outgoing{l.feed}, publish.Options{Dir: l.dir})
			if w := l.fetch(); w.Code != tt.code {
				t.Errorf("got %d, want %d", w.Code, tt.code)
			}
		})
	}
}

func TestCopiesOfRemovedFeedsAreDeleted(t *testing.T) {
	dir, m := t.TempDir(), newMemory(stories(1)...)
	copied(t, dir, m)
	removed := filepath.Join(dir, "copies", "removed.copy")
	if err := os.WriteFile(removed, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	copied(t, dir, m)
	if _, err := os.Stat(removed); !os.IsNotExist(err) {
		t.Errorf("the copy of a removed feed is there still: %v", err)
	}
}
