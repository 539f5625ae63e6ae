package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestEmptiedRedisIsNoticed(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, dial store.DialFunc) {
		registry := prometheus.NewRegistry()
		s, raw := open(t, store.Options{Dial: dial, Registerer: registry}), commands(t, dial)
		if err := s.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		id := raw.Do("GET", "installation")
		reads := map[string]func() error{
			"a version of a feed": func() error { _, err := s.Articles.FeedVersion(t.Context(), "production"); return err },
			"the articles of a feed": func() error {
				_, _, err := s.Articles.PublishedArticles(t.Context(), "production", time.Time{}, 4, 0, 10)
				return err
			},
			"the check":        func() error { return s.Check(t.Context()) },
			"the confirmation": func() error { return s.Confirm(t.Context()) },
		}
		for what, read := range reads {
			raw.Do("FLUSHALL")
			if err := read(); !errors.Is(err, feed.ErrUnavailable) || core.ClassOf(err) != core.ClassEmptied {
				t.Errorf("%s of an emptied Redis: %v", what, err)
			}
			if _, err := s.Sources.Sources(t.Context()); core.ClassOf(err) != core.ClassEmptied {
				t.Errorf("after %s, sources: %v", what, err)
			}
			if _, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: "http://a.example/feed"}); core.ClassOf(err) != core.ClassEmptied {
				t.Errorf("after %s, a source is added: %v", what, err)
			}
			if n := gauge(t, registry, "feedwire_redis_emptied"); n != 1 {
				t.Errorf("the metric is %v", n)
			}

			other := open(t, store.Options{Dial: dial}) // one that starts anew
			if err := errors.Join(other.Check(t.Context()), other.Check(t.Context())); err != nil {
				t.Fatal(err)
			}
			if err := s.Check(t.Context()); core.ClassOf(err) != core.ClassEmptied {
				t.Errorf("with another installation: %v", err)
			}

			raw.Do("SET", "installation", id) // as a restored backup has it
			if raw.Sharded() {
				raw.Do("HSET", "signals:gathered", "installation", id)
			}
			if err := s.Check(t.Context()); err != nil {
				t.Errorf("with the data back: %v", err)
			}
			if _, err := s.Sources.Sources(t.Context()); err != nil {
				t.Errorf("sources with the data back: %v", err)
			}
			if n := gauge(t, registry, "feedwire_redis_emptied"); n != 0 {
				t.Errorf("the metric is %v with the data back", n)
			}
		}
	})
}

// The desk alone does not tell that the node of the hub, or that of some parts, has lost what it had.
func TestANodeThatHasLostItsDataIsNoticed(t *testing.T) {
	for _, place := range []string{"{hub}", storetest.ShardTag(harbour)} {
		t.Run(place, func(t *testing.T) {
			dial, now := storetest.Redis(t), storetest.NewClock()
			options := store.Options{Dial: dial, Sharded: true, Now: now.Now}
			s, raw := storetest.New(t, options), storetest.Commands(t, dial)
			if err := s.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			claim(t, s)
			if err := s.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			now.Advance(2 * time.Minute)
			for _, key := range raw.Keys(place + "*") {
				raw.Do("DEL", key)
			}
			for range 2 {
				if err := s.Check(t.Context()); core.ClassOf(err) != core.ClassEmptied {
					t.Errorf("after the loss the check gave %v", err)
				}
				if _, _, err := s.Sources.AddSource(t.Context(), feed.Source{URL: harbour}); core.ClassOf(err) != core.ClassEmptied {
					t.Errorf("after the loss a source is added: %v", err)
				}
			}
			anew := storetest.New(t, options)
			if err := errors.Join(anew.Check(t.Context()), anew.Check(t.Context())); err != nil {
				t.Errorf("begun anew: %v", err)
			}
		})
	}
}

// gauge reads a metric without labels.
func gauge(t *testing.T, registry *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}
