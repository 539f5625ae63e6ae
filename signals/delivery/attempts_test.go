package delivery_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestAttemptsNameCauseAndNextTry(t *testing.T) {
	d := newHarness(t, storetest.Memory(t))
	fails := make(chan int, 2)
	fails <- http.StatusServiceUnavailable
	fails <- http.StatusInternalServerError
	r := newReader(t, func(w http.ResponseWriter, _ *http.Request) {
		select {
		case status := <-fails:
			w.WriteHeader(status)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	})
	sub := feed.Subscription{Topic: harbour, Callback: r.callback("/cb/1"), Kind: feed.KindWebSub}
	if err := d.Hub.Subscribe(t.Context(), &sub); err != nil {
		t.Fatal(err)
	}
	attempts := func() []feed.Attempt {
		all, err := d.Hub.Attempts(t.Context(), sub.ID)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	d.run(delivery.Options{Attempts: 4, FirstRetry: time.Millisecond})
	d.news("one", false)
	eventually(t, "three attempts", func() bool { return len(attempts()) == 3 })
	all := attempts()
	for i, want := range []struct {
		status int
		reason string
	}{{204, "2xx"}, {500, "5xx"}, {503, "5xx"}} {
		a := all[i]
		if a.Status != want.status || a.Reason != want.reason || a.Version != all[0].Version || a.Next.IsZero() != (i == 0) || a.Time.IsZero() {
			t.Errorf("attempt %d is %+v", i, a)
		}
	}
	d.news("two", false)
	eventually(t, "the second version", func() bool { return attempts()[0].Version > all[0].Version })
	if got := attempts(); !slices.Equal(got[1:], all) {
		t.Errorf("after another attempt: %+v", got)
	}
	for n := range 3 {
		newest := attempts()[0].Version
		d.news(fmt.Sprint("more", n), false)
		eventually(t, "another version", func() bool { return attempts()[0].Version > newest })
	}
	if got := attempts(); len(got) != 4 || got[2].Status != 204 || got[3] != all[1] {
		t.Errorf("after many successes, the last failure does not follow three of them: %+v", got)
	}
	d.Advance(8 * 24 * time.Hour)
	if got := attempts(); len(got) != 0 {
		t.Errorf("after a week: %+v", got)
	}
	d.news("three", false)
	eventually(t, "the third version", func() bool { return len(attempts()) == 1 })
}
