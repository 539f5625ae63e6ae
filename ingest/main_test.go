package ingest_test

import (
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/store/feed"
)

func TestMain(m *testing.M) {
	resolveByNameServer()
	goleak.VerifyTestMain(m)
}

// class is the class of an error that must have one.
func class(t testing.TB, err error) feed.FailureClass {
	t.Helper()
	e, ok := errors.AsType[*feed.PollError](err)
	if !ok {
		t.Fatalf("got error %v, want an *feed.PollError", err)
	}
	return e.Class
}

const feedURL = "https://news.example/dir/feed.xml"

var received = time.Date(2025, 6, 10, 12, 0, 0, 0, time.UTC)

// rss returns an RSS document with items.
func rss(items string) string {
	return `<?xml version="1.0"?><rss version="2.0"><channel><title>T</title>` + items + `</channel></rss>`
}
