package delivery_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestSubscribersGetTheFormThatTheyWant(t *testing.T) {
	each(t, func(t *testing.T, d *harness) {
		r := newReader(t, nil)
		for path, form := range map[string]feed.Form{"/plain": {}, "/json": {JSON: true}, "/some": {Filter: "any=two"}} {
			sub := feed.Subscription{
				Topic: harbour, Callback: r.callback(path), Kind: feed.KindWebSub, Secret: "secret" + path, Form: form, Lease: time.Hour,
			}
			if err := d.Hub.Subscribe(t.Context(), &sub); err != nil {
				t.Fatal(err)
			}
		}
		var failed atomic.Bool
		d.run(delivery.Options{Shape: func(_ context.Context, v feed.Distribution, form feed.Form) (feed.Distribution, error) {
			switch {
			case form.JSON && !failed.Swap(true):
				return v, errors.New("try again")
			case form.JSON:
				v.Body = []byte("{" + string(v.Body) + "}")
			case form.Filter != "any="+string(v.Body):
				v.Body = nil
			}
			return v, nil
		}})
		for _, body := range []string{"one", "two", "three"} {
			d.news(body, false)
		}
		want := map[string][]string{"/plain": {"one", "two", "three"}, "/json": {"{one}", "{two}", "{three}"}, "/some": {"two"}}
		eventually(t, "all deliveries", func() bool {
			state, err := d.Hub.HubState(t.Context())
			return err == nil && len(r.got()) == 7 && state.Ready+state.Later+state.Planning == 0
		})
		for path, bodies := range want {
			if diff := cmp.Diff(bodies, r.bodies(path)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		}
		for _, g := range r.got() {
			if g.problem != "" {
				t.Errorf("%s: %s", g.path, g.problem)
			}
		}
	})
}

// A version in which nothing is for the subscriber is no sign that the subscriber works again.
func TestFilteredNewsLeavesASubscriptionFailing(t *testing.T) {
	d := newHarness(t, storetest.Memory(t))
	var works atomic.Bool
	r := newReader(t, func(w http.ResponseWriter, _ *http.Request) {
		if !works.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	sub := feed.Subscription{
		Topic: harbour, Callback: r.callback("/cb/1"), Kind: feed.KindWebSub, Secret: "secret/cb/1", Form: feed.Form{Filter: "!any=two"},
	}
	if err := d.Hub.Subscribe(t.Context(), &sub); err != nil {
		t.Fatal(err)
	}
	shape := func(_ context.Context, v feed.Distribution, _ feed.Form) (feed.Distribution, error) {
		if string(v.Body) == "two" {
			v.Body = nil
		}
		return v, nil
	}
	// A version is tried twice, or once if the one before failed.
	d.run(delivery.Options{Horizon: time.Nanosecond, FirstRetry: time.Millisecond, Shape: shape})
	stored := func() feed.Subscription {
		s, err := d.Hub.Subscription(t.Context(), sub.ID)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	last := stored().Next
	for _, tt := range []struct {
		body     string
		works    bool
		failures int
	}{{"one", false, 2}, {"two", false, 2}, {"three", false, 3}, {"two", true, 3}, {"four", true, 0}} {
		works.Store(tt.works)
		d.news(tt.body, false)
		eventually(t, "the result of "+tt.body, func() bool { s := stored(); return s.Next > last && !s.Waiting })
		s := stored() // with the health of that result
		if last = s.Next; s.Health.Failures != tt.failures {
			t.Errorf("after %q: %d failures, want %d", tt.body, s.Health.Failures, tt.failures)
		}
	}
}
