package source_test

import (
	"errors"
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestSourceWithAnotherAddressKeepsItsEntries(t *testing.T) {
	const address = "https://quay.example/new.xml"
	each(t, func(t *testing.T, s *store.Store, now *clock, _ *storetest.Redigo) {
		ctx := t.Context()
		c, doc := claim(t, s), feed.Document{Entries: []feed.Entry{entry("1", "One", now.Time), entry("2", "Two", now.Time)}}
		if saved, err := s.Entries.SaveEntries(ctx, c, doc); err != nil || saved.Created != 2 {
			t.Fatalf("saved %+v, %v", saved, err)
		}
		if _, _, err := s.Sources.AddSource(ctx, feed.Source{URL: harbour, Feeds: []string{"production"}, Request: feed.Request{Username: "ann", Password: "s3cret"}}); err != nil {
			t.Fatal(err)
		}
		name, to := "Quay", address
		got, err := s.Sources.EditSource(ctx, c.Source.ID, feed.SourceEdit{Name: &name, Address: &to}, 0)
		if err != nil || got.Name() != name || got.Address() != address || got.URL != harbour || got.Request.HasSecrets() || got.Request.Cleared == "" {
			t.Fatalf("edited: %+v, %v", got, err)
		}
		if err := s.Sources.FinishPoll(ctx, &c, &feed.PollResult{State: feed.PollState{NextPoll: now.Time.Add(time.Hour)}}); !errors.Is(err, feed.ErrLeaseLost) {
			t.Errorf("the poll of the old address ends with %v", err)
		}
		if _, _, err := s.Sources.AddSource(ctx, feed.Source{URL: harbour}); err != nil { // as a configuration does at each start
			t.Fatal(err)
		}
		claims, err := s.Sources.ClaimSources(ctx, 1, time.Minute)
		if err != nil || len(claims) != 1 || claims[0].Source.Address() != address || claims[0].Source.Label != name {
			t.Fatalf("claimed %+v, %v", claims, err)
		}
		before := len(kinds(t, s))
		if saved, err := s.Entries.SaveEntries(ctx, claims[0], doc); err != nil || saved.Unchanged != 2 || len(kinds(t, s)) != before {
			t.Errorf("the same document at the new address: %+v, %v", saved, err)
		}
		if _, err := s.Sources.EditSource(ctx, c.Source.ID, feed.SourceEdit{Name: &name}, got.Revision); err != nil {
			t.Errorf("an edit that changes nothing: %v", err)
		}
		other := "Mole"
		if _, err := s.Sources.EditSource(ctx, c.Source.ID, feed.SourceEdit{Name: &other}, got.Revision-1); !errors.Is(err, feed.ErrChanged) {
			t.Errorf("an edit of an old revision: %v", err)
		}
		if err := s.Sources.RemoveSource(ctx, c.Source.ID, 0); err != nil {
			t.Fatal(err)
		}
		if got, err = s.Sources.RestoreSource(ctx, c.Source.ID); err != nil || got.Label != name || got.Address() != address {
			t.Errorf("restored: %+v, %v", got, err)
		}
		if _, _, err := s.Sources.AddSource(ctx, feed.Source{URL: "https://other.example/"}); err != nil {
			t.Fatal(err)
		}
		for bad, want := range map[string]error{"https://other.example/": feed.ErrExists, "ftp://quay.example/": feed.ErrInvalid} {
			if _, err := s.Sources.EditSource(ctx, c.Source.ID, feed.SourceEdit{Address: &bad}, 0); !errors.Is(err, want) {
				t.Errorf("%s: %v", bad, err)
			}
		}
		home := harbour
		if got, err = s.Sources.EditSource(ctx, c.Source.ID, feed.SourceEdit{Address: &home}, 0); err != nil || got.Address() != harbour || !got.Poll.Move.Adopted.IsZero() {
			t.Errorf("back at its URL: %+v, %v", got.Poll.Move, err)
		}
	})
}
