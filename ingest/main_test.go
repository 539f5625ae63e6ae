package ingest_test

import (
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/store/feed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// class is the class of an error that must have one.
func class(t testing.TB, err error) feed.FailureClass {
	t.Helper()
	e, ok := errors.AsType[*feed.Failure](err)
	if !ok {
		t.Fatalf("got error %v, want an *feed.Failure", err)
	}
	return e.Class
}
