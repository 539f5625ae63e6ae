package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// The label command tells an operator what the store does.
func TestCallsAreCountedByPurpose(t *testing.T) {
	reg := prometheus.NewRegistry()
	s, ctx := storetest.New(t, store.Options{Dial: storetest.Memory(t), Registerer: reg}), t.Context()
	src, callback := feed.Source{URL: harbour}, feed.PushSubscription{FeedURL: harbour}
	e, shown := entry("g", "T", time.Now()), []feed.Impression{{UUID: feed.ArticleUUID(harbour, "g"), Revision: 1}}
	for _, tt := range []struct {
		name, want string
		call       func() error
	}{
		{"add a source", "sources", func() error { _, _, err := s.Sources.AddSource(ctx, src); return err }},
		{"claim sources", "polls sources", func() error { _, err := s.Sources.ClaimSources(ctx, 1, time.Minute); return err }},
		{"claim callbacks", "push", func() error { _, _, err := s.Sources.ClaimCallbacks(ctx, 1, time.Minute); return err }},
		{"replace a callback", "push", func() error { _, err := s.Sources.ReplaceCallback(ctx, callback, callback); return err }},
		{"save an entry", "entries", func() error { return s.Entries.SaveEntry(ctx, &e) }},
		{"save an article", "articles", func() error { article(t, s, "g", "v1"); return nil }},
		{"record impressions", "feeds", func() error {
			_, err := s.Articles.RecordImpressions(ctx, "production", oneFetch("1", shown), 4)
			return err
		}},
		{"wait for signals", "wait", func() error { _, err := s.Signals.BareSignals(ctx, "", 1, 0); return err }},
		{"read the last signal", "signals", func() error { _, err := s.Signals.LastSignal(ctx); return err }},
		{"start a job", "jobs", func() error { return s.Ops.StartJob(ctx, feed.Job{ID: "j"}, nil, 1) }},
		{"expire subscriptions", "hub", func() error { _, err := s.Hub.ExpireSubscriptions(ctx, 1); return err }},
		{"add an account", "people", func() error {
			return s.People.AddAccount(ctx, feed.Account{Name: "ann", Role: feed.RoleViewer})
		}},
	} {
		before := calls(t, reg)
		if err := tt.call(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		var purposes []string
		for purpose, n := range calls(t, reg) {
			if n > before[purpose] {
				purposes = append(purposes, purpose)
			}
		}
		slices.Sort(purposes)
		if got := strings.Join(purposes, " "); got != tt.want {
			t.Errorf("%s: counted as %q, want %q", tt.name, got, tt.want)
		}
	}
}

// calls returns the number of calls by the label command.
func calls(t *testing.T, reg *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]float64)
	for _, f := range families {
		if f.GetName() != "feedwire_redis_commands_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			all[m.GetLabel()[0].GetValue()] += m.GetCounter().GetValue() // labels are sorted by name: command, result
		}
	}
	return all
}
