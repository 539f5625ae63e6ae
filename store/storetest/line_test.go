package storetest_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, storetest.IgnoreLines()) }

func TestLineCutsAnswersAndHeals(t *testing.T) {
	line := storetest.NewLine(t, storetest.Redis(t))
	raw := storetest.Commands(t, line.Dial)
	raw.Do("SET", "greeting", "Good evening, harbour")
	s := storetest.New(t, store.Options{Dial: line.Dial})
	if err := s.Check(t.Context()); err != nil {
		t.Fatalf("undisturbed: %v", err)
	}
	line.Disturb("limit_data", map[string]int{"bytes": 3})
	if err := s.Check(t.Context()); core.ClassOf(err) != core.ClassClosed {
		t.Errorf("cut after three bytes: %v", err)
	}
	line.Heal()
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("healed: %v", err)
	}
}
