package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/route"
	"github.com/feedwire/feedwire/store/storetest"
)

// While the slot of a store moves to another node, a few keys at a time, reads go on and scripts are refused: one that saw a
// part of its keys would take entries for new ones, or fail half-way.
func TestNoScriptSeesPartOfItsKeys(t *testing.T) {
	cluster := storetest.NewCluster(t, false)
	t.Run("one slot", func(t *testing.T) { moveASlot(t, cluster, "{feedwire}:", "") })
	t.Run("in parts", func(t *testing.T) { moveASlot(t, cluster, "news:", storetest.ShardTag(harbour)) })
}

// moveASlot saves and reads while the slot of a source moves, whose keys have a tag behind the prefix.
func moveASlot(t *testing.T, cluster *storetest.Cluster, prefix, tag string) {
	t.Helper()
	s := storetest.New(t, store.Options{URL: cluster.URL(), Prefix: prefix, FirstSignals: 1000})
	c := claim(t, s)
	at := time.Now().Truncate(time.Second)
	slot := route.Slot(prefix + tag)
	from := cluster.Masters[storetest.Home(slot)]
	// All other keys that the scripts name are there, and older than the entries, which move first.
	old := storetest.NewRedigo(t, from.Dial, prefix+tag)
	old.Do("ZADD", harbour+":dead", at.Unix(), "expired")
	old.Do("HSET", harbour+":alias", "l:shared", "")
	var all []feed.Entry
	for i := range 50 {
		all = append(all, entry(fmt.Sprint("g", i), "One", at))
	}
	save := func(ctx context.Context, title string) error {
		now := slices.Clone(all)
		for i := range now {
			now[i].Title = title
		}
		now = append(now, entry("new "+title, title, at))
		_, err := s.Entries.SaveEntries(ctx, c, feed.Document{Entries: now})
		return err
	}
	if err := save(t.Context(), "One"); err != nil {
		t.Fatal(err)
	}
	to := cluster.Masters[(storetest.Home(slot)+1)%3]
	refused, steps := 0, 0
	cluster.Move(slot, from, to, func() {
		steps++
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
		defer cancel()
		switch err := save(ctx, fmt.Sprint("step ", steps)); {
		case errors.Is(err, feed.ErrUnavailable):
			refused++
		case err != nil:
			t.Errorf("step %d: %v", steps, err)
		}
		if got, err := s.Entries.Entries(t.Context(), harbour, 100); err != nil || len(got) < len(all) {
			t.Errorf("step %d: %d entries are read, %v", steps, len(got), err)
		}
	})
	if refused == 0 {
		t.Errorf("nothing was refused in %d steps: the slot never was on its way", steps)
	}
	if err := save(t.Context(), "Two"); err != nil {
		t.Fatal(err)
	}
	signals, err := s.Signals.Signals(t.Context(), "", 1000, 0)
	if err != nil {
		t.Fatal(err)
	}
	created := make(map[string]int)
	for _, sig := range signals {
		if sig.Kind == feed.PostCreated {
			created[sig.GUID]++
		}
	}
	for guid, n := range created {
		if n != 1 {
			t.Errorf("%s was created %d times", guid, n)
		}
	}
	raw := storetest.NewRedigo(t, to.Dial, prefix+tag)
	if n := raw.Int("ZCARD", harbour+":sort"); n != len(created) {
		t.Errorf("%d entries, %d of them signalled", n, len(created))
	}
	raw.Check(nil, feed.ImportAfter)

	// The poll that began before cannot know what of that has come along: it is done again, from the same document on.
	state := c.Source.Poll
	state.ETag, state.NextPoll = "new", time.Now().Add(time.Hour)
	if err := s.Sources.FinishPoll(t.Context(), &c, &feed.PollResult{State: state}); !errors.Is(err, feed.ErrLeaseLost) {
		t.Errorf("its end was taken: %v", err)
	}
	again := claim(t, s)
	if again.Source.Poll.ETag != "" {
		t.Errorf("it goes on from %q", again.Source.Poll.ETag)
	}
	if err := s.Sources.FinishPoll(t.Context(), &again, &feed.PollResult{State: state}); err != nil {
		t.Error(err)
	}
}

func TestAPrefixSaysHowAClusterIsUsed(t *testing.T) {
	for prefix, good := range map[string]bool{
		"": true, "news:": true, "{feedwire}:": true, "{a}b{c}": true, "{}:": false, "{open": false, "news:{tag}": false, "{}{a}": false,
	} {
		s, err := store.New(store.Options{URL: "redis+cluster://127.0.0.1:1", Prefix: prefix})
		if (err == nil) != good {
			t.Errorf("prefix %q: %v", prefix, err)
		}
		if err == nil {
			_ = s.Close()
		}
	}
}
