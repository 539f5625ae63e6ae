package ingest_test

import (
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/ingest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// class is the class of an error that must have one.
func class(t testing.TB, err error) ingest.Class {
	t.Helper()
	e, ok := errors.AsType[*ingest.Error](err)
	if !ok {
		t.Fatalf("got error %v, want an *ingest.Error", err)
	}
	return e.Class
}
