package delivery_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/signals/delivery"
	"github.com/feedwire/feedwire/store/feed"
)

// takeDown takes the post of the harbour with a guid down.
func (d *harness) takeDown(guid string) {
	d.tb.Helper()
	e, err := d.Entries.EntryByGUID(context.Background(), harbour, guid)
	if err == nil {
		_, err = d.Entries.TakeDownEntry(context.Background(), e.ID)
	}
	if err != nil {
		d.tb.Fatal(err)
	}
}

// shown returns the stored versions of a topic that contain a text.
func (d *harness) shown(topic, text string) (all []int64) {
	d.tb.Helper()
	t, err := d.Topics.Topic(context.Background(), feed.TopicID(topic))
	if err != nil {
		d.tb.Fatal(err)
	}
	for n := t.Version; n > t.Version-20; n-- {
		if v, err := d.Hub.Version(context.Background(), topic, n); err == nil && v.Version == n && strings.Contains(string(v.Body), text) {
			all = append(all, n)
		}
	}
	return all
}

// A webhook is unreachable while a post is taken down, and so are the subscriptions of the source.
func TestTakedownReachesDeliveriesThatAreRetried(t *testing.T) {
	each(t, func(t *testing.T, d *harness) {
		m := newMailbox(t)
		m.failing.Store(true)
		var failing atomic.Bool
		var tries atomic.Int32
		r := failingReader(t, http.StatusBadGateway, &failing, &tries)
		d.subscribe(r.callback("/cb"), "secret/cb")
		all := d.webhook(m.URL+"/all", feed.SignalFilter{})
		own := d.webhook(m.URL+"/own", feed.SignalFilter{Source: harbour, Kinds: []feed.SignalKind{feed.PostCreated, feed.PostModified, feed.PostDeleted}})
		news := titlesOutlet()
		news.Make = func(_ context.Context, topic string, news delivery.News) ([]feed.Distribution, error) {
			made := feed.Distribution{Topic: topic, ContentType: "text/plain"}
			for _, s := range news.Signals {
				if s.Post != nil {
					made.Body, made.Posts = append(made.Body, s.Post.Title+"\n"...), append(made.Posts, s.Entry)
				}
			}
			return []feed.Distribution{made}[:min(1, len(made.Posts))], nil
		}
		news.Redact = func(body []byte, deleted *feed.Signal) ([]byte, error) {
			return []byte(strings.Replace(string(body), deleted.GUID+" secret\n", "", 1)), nil
		}
		e := d.runOutlets(append(delivery.Webhooks(), news)...)
		d.document(harbour, "one", "two secret", "three")
		eventually(t, "versions with the post", func() bool {
			return len(d.shown(all.Topic, "secret")) == 1 && len(d.shown(own.Topic, "secret")) == 1 && len(d.shown(harbour, "secret")) == 1
		})
		eventually(t, "a failed delivery", func() bool { return tries.Load() > 0 && len(m.got("/all")) > 0 && len(m.got("/own")) > 0 })
		d.takeDown("two")
		eventually(t, "no version has the post", func() bool {
			return len(d.shown(all.Topic, "secret")) == 0 && len(d.shown(own.Topic, "secret")) == 0 && len(d.shown(harbour, "secret")) == 0
		})
		d.Advance(time.Minute) // no version is left in the cache
		m.failing.Store(false)
		failing.Store(false)
		d.Advance(time.Minute) // for a retry that failed meanwhile
		want := []string{"post_created one", "post_created", "post_created three", "post_deleted"}
		got := func(path string) []string { return slices.Compact(titles(m.got(path))) } // without repetitions
		eventually(t, "all deliveries", func() bool {
			e.Wake()
			return len(r.got()) > 0 && len(got("/own")) >= len(want) && len(got("/all")) > len(want)
		})
		if diff := cmp.Diff(want, got("/own")); diff != "" {
			t.Errorf("webhook of the source (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(append([]string{"feed_created"}, want...), got("/all")); diff != "" {
			t.Errorf("webhook (-want +got):\n%s", diff)
		}
		for _, got := range append(m.got("/own"), m.got("/all")...) {
			if strings.Contains(got.body, "secret") {
				t.Errorf("got %+v", got)
			}
		}
		if diff := cmp.Diff([]string{"one\nthree\n"}, slices.Compact(r.bodies("/cb"))); diff != "" {
			t.Errorf("subscriber (-want +got):\n%s", diff)
		}
	})
}

// The source of a topic is erased while a subscriber is unreachable.
func TestDeliveryOfAnErasedVersionEnds(t *testing.T) {
	each(t, func(t *testing.T, d *harness) {
		var failing atomic.Bool
		var tries atomic.Int32
		r := failingReader(t, http.StatusBadGateway, &failing, &tries)
		d.subscribe(r.callback("/cb"), "secret/cb")
		e, _ := d.run(delivery.Options{})
		d.news("one", false)
		eventually(t, "a failed delivery", func() bool { return tries.Load() > 0 })
		if err := d.Hub.EraseVersions(t.Context(), harbour); err != nil {
			t.Fatal(err)
		}
		failing.Store(false)
		eventually(t, "the delivery has ended", func() bool {
			d.Advance(time.Hour) // to the next attempt, and no version is left in the cache
			e.Wake()
			state, err := d.Hub.HubState(t.Context())
			return err == nil && state.Ready+state.Later+state.Planning == 0
		})
	})
}

// A post is taken down after its feed was rendered and before the feed is distributed. Then the source is removed.
func TestTakedownDeletesAWholeVersionThatNothingReplaces(t *testing.T) {
	each(t, func(t *testing.T, d *harness) {
		var failing atomic.Bool
		var tries atomic.Int32
		r := failingReader(t, http.StatusBadGateway, &failing, &tries)
		d.subscribe(r.callback("/cb"), "secret/cb")
		whole := titlesOutlet()
		whole.Make = func(_ context.Context, topic string, news delivery.News) ([]feed.Distribution, error) {
			switch news.Signals[len(news.Signals)-1].Kind {
			case feed.PostCreated:
				d.takeDown("one")
				return []feed.Distribution{{Topic: topic, ContentType: "text/plain", Body: []byte("one secret"), Whole: true}}, nil
			case feed.PostDeleted:
				eventually(t, "a failed delivery", func() bool { return tries.Load() > 0 })
			}
			return nil, nil
		}
		e := d.runOutlets(whole)
		d.document(harbour, "one secret")
		eventually(t, "the version is deleted", func() bool { return tries.Load() > 0 && len(d.shown(harbour, "secret")) == 0 })
		attempts := tries.Load()
		eventually(t, "the delivery has ended", func() bool {
			d.Advance(time.Hour) // to the next attempt, and no version is left in the cache
			e.Wake()
			state, err := d.Hub.HubState(t.Context())
			return err == nil && state.Ready+state.Later+state.Planning == 0
		})
		if n := tries.Load(); n != attempts {
			t.Errorf("%d attempts after the takedown", n-attempts)
		}
	})
}
