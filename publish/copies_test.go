package publish_test

import (
	"errors"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

func (l *life) hasCopy() bool {
	_, err := os.Stat(l.copy())
	return err == nil
}

// remove removes the newest article, as a takedown does.
func (m *memory) remove() {
	m.set(func() { m.articles = m.articles[:len(m.articles)-1] })
}

func TestArticleOfATakedownIsServedNeitherFromMemoryNorFromDisk(t *testing.T) {
	dir, m := t.TempDir(), newMemory(stories(3)...)
	l := newLife(t, dir, m)
	l.run(func() {
		l.fetch()
		eventually(t, "a copy", l.hasCopy)
		err := l.Takedown(func() error {
			if l.hasCopy() {
				t.Error("the copy is there during the takedown: a kill now would leave it")
			}
			m.remove()
			m.set(func() { m.down = true })
			return nil
		})
		for _, client := range []string{"curl", crawler} { // a response to the first may be cached
			r := httptest.NewRequest("GET", "/feed/production", nil)
			r.SetPathValue("type", "production")
			r.Header.Set("User-Agent", client)
			w := httptest.NewRecorder()
			if l.ServeHTTP(w, r); err != nil || w.Code != 503 {
				t.Errorf("%v; without the store it serves %d to %s\n%s", err, w.Code, client, w.Body)
			}
		}
	})
	if w := newLife(t, dir, m).fetch(); w.Code != 503 {
		t.Errorf("started without the store, it serves %d\n%s", w.Code, w.Body)
	}
	m.set(func() { m.down = false })
	if w := newLife(t, dir, m).fetch(); w.Code != 200 || strings.Contains(w.Body.String(), "Story 2") || !strings.Contains(w.Body.String(), "Story 1") {
		t.Errorf("it serves %d\n%s", w.Code, w.Body)
	}
}

func TestFeedThatATakedownDoesNotConcernKeepsItsCopy(t *testing.T) {
	dir, m := t.TempDir(), newMemory(stories(3)...)
	l := newLife(t, dir, m)
	l.run(func() {
		etag := l.fetch().Header().Get("Etag")
		eventually(t, "a copy", l.hasCopy)
		if err := l.Takedown(func() error { return feed.ErrNotFound }); !errors.Is(err, feed.ErrNotFound) {
			t.Error(err)
		}
		l.Refresh(t.Context())
		eventually(t, "the copy is back", l.hasCopy)
		m.set(func() { m.down = true })
		if w := l.fetch(); w.Code != 200 || w.Header().Get("Etag") != etag {
			t.Errorf("without the store it serves %d", w.Code)
		}
	})
}

func TestNoCopyIsKeptBesideOtherDaemons(t *testing.T) {
	dir, m := t.TempDir(), newMemory(stories(3)...)
	l := newLife(t, dir, m)
	l.run(func() {
		l.fetch()
		eventually(t, "a copy", l.hasCopy)
		l.KeepCopies(false)
		l.KeepCopies(false)
		if l.hasCopy() {
			t.Error("the copy is there still")
		}
		m.set(func() {
			m.articles[0].Title, m.articles[0].Digest = "Edited", "edited"
			m.version++
		})
		l.Refresh(t.Context())
		m.set(func() { m.down = true })
		if w := l.fetch(); w.Code != 200 || !strings.Contains(w.Body.String(), "Edited") {
			t.Errorf("from memory it serves %d\n%s", w.Code, w.Body)
		}
		m.set(func() { m.down = false })
		l.KeepCopies(true)
		eventually(t, "a copy again", func() bool {
			l.fetch()
			return l.hasCopy()
		})
	})
}
