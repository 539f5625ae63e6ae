package hub_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// post distributes a version of the harbour whose body is the words of its posts.
func post(t *testing.T, s stores, from, to string, ids ...string) {
	t.Helper()
	d := feed.Distribution{Topic: harbour, ContentType: "text/plain", Body: []byte(strings.Join(ids, " ") + " end"), Posts: ids, Entries: len(ids)}
	if err := s.Distribute(t.Context(), feed.HubStep{From: from, To: to}, []feed.Distribution{d}); err != nil {
		t.Fatal(err)
	}
}

// redact removes an entry from all stored versions of the harbour.
func redact(t *testing.T, s stores, id string, f func([]byte) ([]byte, error)) {
	t.Helper()
	for before, first := int64(0), true; first || before > 0; first = false {
		var err error
		if before, err = s.RedactVersions(t.Context(), harbour, id, before, f); err != nil {
			t.Fatal(err)
		}
	}
}

func without(word string) func([]byte) ([]byte, error) {
	return func(body []byte) ([]byte, error) {
		return []byte(strings.Replace(string(body), word+" ", "", 1)), nil
	}
}

func bodyOf(t *testing.T, s stores, version int64) string {
	t.Helper()
	d, err := s.Version(t.Context(), harbour, version)
	if err != nil {
		t.Fatal(err)
	}
	return string(d.Body)
}

func TestEntryIsRemovedFromEveryStoredVersion(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, raw *storetest.Redigo) {
		subscribed(t, s, now, callbackOf(1))
		redact(t, s, "Entry:1", without("Entry:1")) // before the first version
		first := now.Now().UnixMilli() + 1
		const versions = 1100 // more than one call examines
		from := ""
		for n := range versions {
			to, ids := fmt.Sprintf("%d-0", n+1), []string{"Entry:9"}
			if n%550 == 0 {
				ids = []string{"Entry:11", "Entry:1", "Entry:2"}
			}
			post(t, s, from, to, ids...)
			from = to
		}
		if err := s.StoreDocument(t.Context(), harbour, "text/plain", []byte("Entry:1")); err != nil {
			t.Fatal(err)
		}
		ttl := raw.Int("TTL", fmt.Sprintf("hub:body:%s:%d", feed.TopicID(harbour), first))
		redact(t, s, "Entry:1", without("Entry:1"))
		redact(t, s, "Entry:1", without("Entry:11")) // changes nothing: no version has the entry
		for n := range int64(versions) {
			want := "Entry:9 end"
			if n%550 == 0 {
				want = "Entry:11 Entry:2 end"
			}
			if got := bodyOf(t, s, first+n); got != want {
				t.Errorf("version %d is %q, want %q", n, got, want)
			}
		}
		if now := raw.Int("TTL", fmt.Sprintf("hub:body:%s:%d", feed.TopicID(harbour), first)); now <= 0 || now > ttl {
			t.Errorf("TTL was %d, is %d", ttl, now)
		}
		if d, err := s.SourceDocument(t.Context(), harbour); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("the unchanged document is %+v, %v", d, err)
		}
	})
}

func TestEntriesAreRemovedByTwoDaemonsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, _ *storetest.Redigo) {
		subscribed(t, s, now, callbackOf(1))
		version := now.Now().UnixMilli() + 1
		post(t, s, "", "1-0", "Entry:1", "Entry:2", "Entry:3")
		var other sync.Once
		redact(t, s, "Entry:1", func(body []byte) ([]byte, error) {
			other.Do(func() { redact(t, s, "Entry:2", without("Entry:2")) })
			return without("Entry:1")(body)
		})
		if got := bodyOf(t, s, version); got != "Entry:3 end" {
			t.Errorf("the version is %q", got)
		}
	})
}

func TestVersionThatCannotBeRedactedIsDeleted(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, raw *storetest.Redigo) {
		subscribed(t, s, now, callbackOf(1))
		version := now.Now().UnixMilli() + 1
		post(t, s, "", "1-0", "Entry:1")
		post(t, s, "1-0", "2-0", "Entry:2")
		redact(t, s, "Entry:1", func([]byte) ([]byte, error) { return nil, errors.New("not a document") })
		if got := bodyOf(t, s, version); got != "Entry:2 end" {
			t.Errorf("the version is %q, want the newest one", got)
		}
		if keys := raw.Keys("hub:body:*"); len(keys) != 1 {
			t.Errorf("stored: %v", keys)
		}
	})
}

func TestWholeVersionDeletesTheOneBefore(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, raw *storetest.Redigo) {
		subscribed(t, s, now, callbackOf(1))
		version := now.Now().UnixMilli() + 1
		distribute(t, s, "", "1-0", true)
		distribute(t, s, "1-0", "2-0", true)
		if keys := raw.Keys("hub:body:*"); len(keys) != 1 || bodyOf(t, s, version) != "body of 2-0" {
			t.Errorf("stored: %v", keys)
		}
	})
}

func TestVersionsOfAnErasedSourceAreDeleted(t *testing.T) {
	each(t, func(t *testing.T, s stores, now *storetest.Clock, raw *storetest.Redigo) {
		subscribed(t, s, now, callbackOf(1))
		erase := func() {
			t.Helper()
			if err := s.EraseVersions(t.Context(), harbour); err != nil {
				t.Fatal(err)
			}
			if left := raw.Keys("hub:body:*"); len(left) > 0 {
				t.Errorf("%d versions are left", len(left))
			}
		}
		erase() // before the first version
		from := ""
		for n := range 510 { // more than one command deletes
			to := fmt.Sprintf("%d-0", n+1)
			post(t, s, from, to, "Entry:1")
			from = to
		}
		erase()
		erase()
		if _, err := s.Version(t.Context(), harbour, now.Now().UnixMilli()+1); !errors.Is(err, feed.ErrNotFound) {
			t.Errorf("an erased version: %v", err)
		}
	})
}
