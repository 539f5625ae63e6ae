package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

// What a group names must be there, or the group misses what has another name since.
func TestGroupsNameOperationsThatExist(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var sources strings.Builder
	for _, path := range paths {
		if path == "metrics.go" || strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sources.Write(text)
	}
	all, grouped := sources.String(), make(map[string]string)
	called := func(op string) bool {
		return strings.Contains(all, `(ctx, "`+op+`"`) ||
			strings.HasPrefix(op, "x") && strings.Contains(all, `"`+strings.ToUpper(op)+`"`)
	}
	for group, ops := range groups() {
		for _, op := range ops {
			if grouped[op] != "" {
				t.Errorf("%s is in %s and in %s", op, group, grouped[op])
			}
			grouped[op] = group
			if !called(op) {
				t.Errorf("%s names %s, which nothing calls", group, op)
			}
		}
	}
	for name := range loadScripts(false) {
		if grouped[name] == "" {
			t.Errorf("the script %s is in no group", name)
		}
	}
}

// An outage, in which every operation fails in every way, makes no series.
func TestFailuresMakeNoSeries(t *testing.T) {
	reg := prometheus.NewRegistry()
	s, err := New(Options{URL: "redis://127.0.0.1:1", Registerer: reg})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	const name = "feedwire_redis_commands_total"
	before, err := testutil.GatherAndCount(reg, name)
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range classes() {
		for _, op := range []string{"check", "save_entries", "hub_claim", "HMGET", "\xff"} {
			s.metrics.observe(op, class, time.Millisecond)
		}
	}
	after, err := testutil.GatherAndCount(reg, name)
	if err != nil {
		t.Fatal(err)
	}
	if want := (len(groups()) + 1) * len(classes()); before != want || after != want {
		t.Errorf("%d series of %s at the start and %d in an outage, want %d", before, name, after, want)
	}
}
