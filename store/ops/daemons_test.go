package ops_test

import (
	"testing"
	"time"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestOtherDaemonsAreThoseThatReadSignals(t *testing.T) {
	s := storetest.New(t, store.Options{Dial: storetest.Redis(t)})
	others := func() bool {
		t.Helper()
		found, err := s.Ops.OtherDaemons(t.Context(), "d1")
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	read := func(name string) {
		t.Helper()
		if _, err := s.Signals.NextSignals(t.Context(), "desk", name, 10, 0); err != nil {
			t.Fatal(err)
		}
	}
	if others() {
		t.Error("an empty store has daemons")
	}
	read("d1")
	if others() {
		t.Error("the daemon itself is another one")
	}
	storetest.Await(t, time.Minute, "another daemon", func() bool {
		read("d2")
		return others()
	})
}
