//go:build !race

package source_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// wrong are commands that make a key of each type.
var wrong = map[string][]any{
	"string": {"SET", nil, "x"}, "list": {"RPUSH", nil, "x"}, "set": {"SADD", nil, "x"},
	"zset": {"ZADD", nil, "1", "x"}, "hash": {"HSET", nil, "x", "y"}, "stream": {"XADD", nil, "*", "x", "y"},
}

// damage replaces a key by a value of another type, and returns what puts the key back.
func damage(t *testing.T, raw *storetest.Redigo, key, typ string) (repair func()) {
	t.Helper()
	existed := raw.Int("EXISTS", key) == 1
	if existed {
		raw.Do("RENAME", key, key+":kept")
	}
	command := append([]any{}, wrong[typ][1:]...)
	command[0] = key
	raw.Do(wrong[typ][0].(string), command...)
	return func() {
		raw.Do("DEL", key)
		if existed {
			raw.Do("RENAME", key+":kept", key)
		}
	}
}

const (
	ill  = "http://" + "harbour.example/ill"
	well = "http://" + "harbour.example/well"
)

// poll polls what is due as ingest does: it saves a document and finishes with what that came to.
func poll(t *testing.T, s *store.Store, now *clock, post string) (polled []string) {
	t.Helper()
	claims, err := s.Sources.ClaimSources(t.Context(), 10, time.Minute)
	if err != nil {
		return nil // the daemon repeats it
	}
	for i := range claims {
		c := &claims[i]
		doc := feed.Document{Received: now.Now()}
		for _, guid := range []string{"edited each time", post} {
			doc.Entries = append(doc.Entries, feed.Entry{FeedURL: c.Source.URL, GUID: guid, Title: post, Published: now.Now(), Timestamp: now.Now()})
		}
		saved, err := s.Entries.SaveEntries(t.Context(), *c, doc)
		state := c.Source.Poll
		state.Errors, state.ErrorClass, state.ErrorText = 0, "", ""
		state.LastPoll, state.NextPoll = now.Now(), now.Now().Add(1700*time.Millisecond)
		result := feed.PollResult{State: state, Poll: feed.Poll{Time: now.Now(), New: saved.Created, Modified: saved.Modified}}
		if err != nil {
			result.State.Errors, result.State.ErrorClass = 1, string(feed.ClassOf(err))
		}
		if s.Sources.FinishPoll(t.Context(), c, &result) == nil && err == nil {
			polled = append(polled, c.Source.URL)
		}
	}
	return polled
}

// Every key of a source, of claims, of hosts and of the schedule, with every wrong type: the source recovers within 5 s once the key
// is repaired or deleted, others are polled meanwhile, and the error names the key.
func TestDamagedKeyHarmsNoOtherSource(t *testing.T) {
	keys := []struct {
		key, typ string
		global   bool // it belongs to all sources: they wait together
		silent   bool // polls do not need it
	}{
		{key: ill + ":meta", typ: "hash"}, {key: ill + ":push", typ: "hash"}, {key: ill + ":polls", typ: "list"},
		{key: ill + ":sort", typ: "zset"}, {key: ill + ":guidmap", typ: "hash"}, {key: ill + ":alias", typ: "hash"},
		{key: ill + ":dead", typ: "zset"}, {key: "Entry:1", typ: "hash"},
		{key: "sched:due", typ: "zset", global: true}, {key: "sched:lease", typ: "hash", global: true},
		{key: "sched:unwell", typ: "zset", global: true, silent: true}, {key: "ids:Entry", typ: "string", global: true},
		{key: "signals", typ: "stream", global: true}, {key: "host:harbour.example", typ: "hash", global: true},
	}
	storetest.EachEngine(t, func(t *testing.T, dial store.DialFunc) {
		for _, k := range keys {
			for typ := range wrong {
				for _, end := range []string{"repaired", "deleted"} {
					if typ == k.typ {
						continue
					}
					t.Run(fmt.Sprintf("%s as %s %s", strings.TrimPrefix(k.key, ill+":"), typ, end), func(t *testing.T) {
						raw := commands(t, dial)
						raw.Do("FLUSHALL")
						testDamage(t, dial, raw, k.key, typ, end == "deleted", k.global, k.silent)
					})
				}
			}
		}
	})
}

func testDamage(t *testing.T, dial store.DialFunc, raw *storetest.Redigo, key, typ string, deleted, global, silent bool) {
	now := storetest.NewClock()
	opts := store.Options{Dial: dial, Now: now.Now}
	if strings.HasPrefix(key, "host:") {
		opts.HostDelay = 500 * time.Millisecond
	}
	s := open(t, opts)
	add(t, s, ill, well)
	times := make(map[string]int)
	turn := func(post string) {
		for _, url := range poll(t, s, now, post) {
			times[url]++
		}
		now.Advance(time.Second)
	}
	for n := range 3 {
		turn(fmt.Sprint("before", n))
	}
	if times[ill] == 0 || times[well] == 0 {
		t.Fatalf("before the damage the sources were polled %v times", times)
	}
	if key == "Entry:1" { // the numbers differ by layout
		key = raw.Strings("HVALS", ill+":guidmap")[0]
	}
	repair := damage(t, raw, key, typ)
	clear(times)
	for n := range 6 {
		turn(fmt.Sprint("meanwhile", n))
	}
	if !global && times[well] < 2 {
		t.Errorf("meanwhile the other source was polled %d times", times[well])
	}
	if !global {
		src, err := s.Sources.Source(t.Context(), feed.SourceID(ill))
		if err != nil || src.Poll.ErrorClass != string(feed.FailureDamaged) || !strings.Contains(src.Poll.ErrorText, key) {
			t.Errorf("the source has the state %+v, %v; want the key", src.Poll, err)
		}
		if _, err := s.Sources.ClaimSource(t.Context(), feed.SourceID(ill), time.Minute); !errors.Is(err, feed.ErrDamaged) || !strings.Contains(err.Error(), key) {
			t.Errorf("a person who traces it gets %v; want the key", err)
		}
		if all, err := s.Sources.ListSources(t.Context()); err != nil || len(all) != 2 {
			t.Errorf("the list has %d sources, %v", len(all), err)
		}
	}
	if silent && times[ill] < 2 {
		t.Errorf("meanwhile the source was polled %d times", times[ill])
	}
	clear(times)
	if deleted {
		raw.Do("DEL", key)
	} else {
		repair()
	}
	for n := range 5 {
		turn(fmt.Sprint("after", n))
	}
	if times[ill] == 0 || times[well] == 0 {
		t.Errorf("within 5 s the sources were polled %v times", times)
	}
	src, err := s.Sources.Source(t.Context(), feed.SourceID(ill))
	if err != nil || src.Poll.ErrorClass != "" {
		t.Errorf("afterwards the source has the state %+v, %v", src.Poll, err)
	}
}
