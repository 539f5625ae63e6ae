package copies_test

import (
	"errors"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/copies"
	"github.com/feedwire/feedwire/store/feed"
)

// shelf is a cache of texts with a clock and a store that tests make unavailable.
type shelf struct {
	*copies.Cache[string, string]
	t     *testing.T
	now   time.Time
	err   error
	bytes int
}

func newShelf(t *testing.T, opts copies.Options) *shelf {
	s := &shelf{t: t, now: time.Unix(1e9, 0)}
	opts.Now, opts.OnSize = func() time.Time { return s.now }, func(bytes int) { s.bytes = bytes }
	s.Cache = copies.New[string](opts, func(text string) int { return len(text) })
	return s
}

// want reads a key whose current value is current, and fails the test if it gets another text. Empty: an error.
func (s *shelf) want(key, current, want string, age time.Duration) {
	s.t.Helper()
	got, at, err := s.Read(key, func() (string, error) { return current, s.err })
	if want == "" {
		if !errors.Is(err, s.err) || err == nil {
			s.t.Errorf("%s: got %q, %v; want the error %v", key, got, err, s.err)
		}
		return
	}
	if err != nil || got != want || age == 0 && !at.IsZero() || age > 0 && s.now.Sub(at) != age {
		s.t.Errorf("%s: got %q of %v, %v; want %q, %v old", key, got, at, err, want, age)
	}
}

func TestCopyIsReadWhileTheStoreIsUnavailable(t *testing.T) {
	s := newShelf(t, copies.Options{Age: time.Minute})
	s.want("a", "1", "1", 0)
	s.now = s.now.Add(time.Minute)
	s.err = feed.ErrUnavailable
	s.want("a", "2", "1", time.Minute)
	s.want("b", "2", "", 0)
	s.err = feed.ErrNotFound
	s.want("a", "2", "", 0)
	s.err = feed.ErrUnavailable
	s.now = s.now.Add(time.Second)
	s.want("a", "2", "", 0)
	s.err = nil
	s.want("a", "2", "2", 0)
}

func TestOneCallAtATimeWaitsForAnUnavailableStore(t *testing.T) {
	s := newShelf(t, copies.Options{})
	s.want("a", "1", "1", 0)
	s.err = feed.ErrUnavailable
	s.now = s.now.Add(time.Second)
	s.want("a", "", "1", time.Second)
	_, _, _ = s.Read("b", func() (string, error) {
		got, _, err := s.Read("a", func() (string, error) { t.Error("a second call waits for the store"); return "", nil })
		if err != nil || got != "1" {
			t.Errorf("beside a call that waits: %q, %v", got, err)
		}
		_, _, err = s.Read("c", func() (string, error) { return "", feed.ErrUnavailable })
		if !errors.Is(err, feed.ErrUnavailable) {
			t.Errorf("without a copy: %v", err)
		}
		return "", feed.ErrUnavailable
	})
	s.err = nil
	s.want("a", "2", "2", 0)
}

func TestNoCallWaitsForSomeTimeAfterOneThatWaited(t *testing.T) {
	s := newShelf(t, copies.Options{})
	s.want("a", "1", "1", 0)
	// hang reads a key from a store that hangs for the given time, and reports whether the call waited.
	hang := func(key string, timeout time.Duration) (waited bool) {
		_, _, _ = s.Read(key, func() (string, error) {
			waited = true
			s.now = s.now.Add(timeout)
			return "", feed.ErrUnavailable
		})
		return waited
	}
	for timeout, pause := range map[time.Duration]time.Duration{time.Second / 2: 2 * time.Second, time.Minute: 3 * time.Second} {
		if !hang("a", timeout) {
			t.Error("the first call does not wait")
		}
		s.now = s.now.Add(pause - 1)
		if hang("a", timeout) {
			t.Errorf("a call waits %v after one that waited %v", pause-1, timeout)
		}
		s.now = s.now.Add(1)
		if !hang("a", timeout) {
			t.Errorf("no call waits %v after one that waited %v", pause, timeout)
		}
		s.want("b", "1", "1", 0) // has no copy, and finds the store available
		s.want("a", "1", "1", 0)
		s.Remove("b")
	}
}

func TestClockThatIsPutBackDoesNotProlongTheWait(t *testing.T) {
	s := newShelf(t, copies.Options{Age: 48 * time.Hour})
	s.want("a", "1", "1", 0)
	_, _, _ = s.Read("a", func() (string, error) {
		s.now = s.now.Add(time.Second)
		return "", feed.ErrUnavailable
	})
	s.now = s.now.Add(-24 * time.Hour)
	s.want("a", "2", "2", 0)
}

func TestDroppedCopyDoesNotComeBackWithARunningRead(t *testing.T) {
	s := newShelf(t, copies.Options{})
	s.want("a", "1", "1", 0)
	s.want("b", "1", "1", 0)
	_, _, _ = s.Read("a", func() (string, error) {
		s.Drop(func(key string) bool { return key == "a" })
		return "old", nil
	})
	if got, ok := s.Get("a"); ok {
		t.Errorf("a has the copy %q", got)
	}
	if _, ok := s.Get("b"); !ok || s.bytes != 1 {
		t.Errorf("b has a copy: %t; %d bytes", ok, s.bytes)
	}
	s.Put("c", "22")
	s.Remove("b")
	if _, ok := s.Get("b"); ok || s.bytes != 2 {
		t.Errorf("b has a copy: %t; %d bytes", ok, s.bytes)
	}
	s.Clear()
	if s.bytes != 0 {
		t.Errorf("%d bytes", s.bytes)
	}
}

func TestLeastRecentlyUsedCopiesMakeRoom(t *testing.T) {
	for name, opts := range map[string]copies.Options{"entries": {Entries: 2}, "bytes": {Bytes: 4}} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t, opts)
			s.Put("a", "11")
			s.Put("b", "22")
			s.Get("a")
			s.Put("c", "33")
			for key, want := range map[string]bool{"a": true, "b": false, "c": true} {
				if _, ok := s.Get(key); ok != want {
					t.Errorf("%s has a copy: %t", key, ok)
				}
			}
		})
	}
	s := newShelf(t, copies.Options{Bytes: 4})
	s.Put("a", "55555")
	if _, ok := s.Get("a"); ok || s.bytes != 0 {
		t.Errorf("a copy is larger than the limit; %d bytes", s.bytes)
	}
}
