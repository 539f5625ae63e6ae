package delivery_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/store/feed"
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
