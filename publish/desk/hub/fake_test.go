package hub_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

// fakeHub implements hub.Store in memory.
type fakeHub struct {
	err      error
	all      []feed.Subscription // by id
	attempts map[string][]feed.Attempt
	letters  []feed.DeadLetter // newest first
	requests []feed.HubRequest
	did      []string
	full     bool // too many requests are pending
}

func (f *fakeHub) HubState(context.Context) (feed.HubState, error) {
	return feed.HubState{Subscriptions: len(f.all), Topics: 2, Failing: 1, DeadLetters: len(f.letters), Lag: 1500 * time.Millisecond}, f.err
}

func (f *fakeHub) Topics(context.Context) (all []feed.Topic, err error) {
	for _, s := range f.all {
		i := slices.IndexFunc(all, func(t feed.Topic) bool { return t.URL == s.Topic })
		if i < 0 {
			i = len(all)
			all = append(all, feed.Topic{ID: feed.TopicID(s.Topic), URL: s.Topic, Version: 7, Changed: webtest.Noon()})
		}
		all[i].Subscribers++
	}
	return all, f.err
}

func (f *fakeHub) Subscriptions(_ context.Context, topicID, after string, limit int) (all []feed.Subscription, err error) {
	for _, s := range f.all {
		if (topicID == "" || feed.TopicID(s.Topic) == topicID) && s.ID > after && len(all) < limit {
			all = append(all, s)
		}
	}
	return all, f.err
}

func (f *fakeHub) find(id string) (*feed.Subscription, error) {
	for i := range f.all {
		if f.all[i].ID == id {
			return &f.all[i], f.err
		}
	}
	return nil, fmt.Errorf("subscription %s: %w", id, feed.ErrNotFound)
}

func (f *fakeHub) Subscription(_ context.Context, id string) (feed.Subscription, error) {
	s, err := f.find(id)
	if err != nil {
		return feed.Subscription{}, err
	}
	return *s, nil
}

func (f *fakeHub) SubscriptionView(ctx context.Context, id string) (feed.Subscription, []feed.Attempt, error) {
	s, err := f.Subscription(ctx, id)
	return s, f.attempts[id], err
}

func (f *fakeHub) Attempts(_ context.Context, id string) ([]feed.Attempt, error) {
	_, err := f.find(id)
	return f.attempts[id], err
}

func (f *fakeHub) DeadLetters(_ context.Context, before string, limit int) (all []feed.DeadLetter, err error) {
	for _, l := range f.letters {
		if (before == "" || l.ID < before) && len(all) < limit {
			all = append(all, l)
		}
	}
	return all, f.err
}

func (f *fakeHub) DeadLetter(_ context.Context, id string) (feed.DeadLetter, error) {
	for _, l := range f.letters {
		if l.ID == id {
			return l, f.err
		}
	}
	return feed.DeadLetter{}, feed.ErrNotFound
}

func (f *fakeHub) record(what, id string) error {
	_, err := f.find(id)
	if err == nil {
		f.did = append(f.did, what+" "+id)
	}
	return err
}

func (f *fakeHub) ResendSubscription(_ context.Context, id string) error {
	return f.record("resend", id)
}

func (f *fakeHub) ReplayDeadLetter(_ context.Context, id string) error {
	f.did = append(f.did, "replay "+id)
	if !slices.ContainsFunc(f.letters, func(l feed.DeadLetter) bool { return l.ID == id }) {
		return feed.ErrNotFound
	}
	return f.err
}

func (f *fakeHub) PauseSubscription(_ context.Context, id string) error { return f.pause(id, true) }

func (f *fakeHub) ResumeSubscription(_ context.Context, id string) error { return f.pause(id, false) }

func (f *fakeHub) pause(id string, paused bool) error {
	s, err := f.find(id)
	if err == nil {
		s.Paused = paused
	}
	return err
}

func (f *fakeHub) AddHubRequest(_ context.Context, r feed.HubRequest, _ int) error {
	if f.full {
		return feed.ErrConflict
	}
	f.requests = append(f.requests, r)
	return f.err
}

func (f *fakeHub) Subscribe(_ context.Context, s *feed.Subscription) error {
	s.ID, s.Since = feed.SubscriptionID(s.Topic, s.Callback), webtest.Noon()
	if old, err := f.find(s.ID); err == nil {
		*old = *s
		return nil
	}
	f.all = append(f.all, *s)
	slices.SortFunc(f.all, func(a, b feed.Subscription) int { return strings.Compare(a.ID, b.ID) })
	return f.err
}

func (f *fakeHub) Unsubscribe(_ context.Context, id string) error {
	f.all = slices.DeleteFunc(f.all, func(s feed.Subscription) bool { return s.ID == id })
	return f.err
}

func (f *fakeHub) HubView(ctx context.Context, topicID, after string, limit int) (view feed.HubView, err error) {
	if view.Counts, err = f.HubState(ctx); err != nil {
		return view, err
	}
	view.Topics, _ = f.Topics(ctx)
	all, err := f.Subscriptions(ctx, topicID, after, limit+1)
	view.More = len(all) > limit
	view.Subscriptions = all[:min(limit, len(all))]
	return view, err
}

const siteURL = "https://site.example/feed.xml"

// private is in the callbacks, which are secret.
const private = "capability-9f3"

// hubOf returns a hub with an active subscription, a failing one, a webhook and another hub.
func hubOf(t *testing.T) *fakeHub {
	t.Helper()
	f := &fakeHub{letters: []feed.DeadLetter{
		{ID: "1795206000002-0", Topic: siteURL, First: 5, Last: 7, Failures: 15, Since: webtest.Noon().Add(-25 * time.Hour), Time: webtest.Noon().Add(-time.Hour), Status: 503, Reason: "5xx"},
		{ID: "1795206000001-0", Topic: siteURL, First: 1, Last: 1, Reason: "timeout"},
	}}
	for _, s := range []feed.Subscription{
		{Topic: siteURL, Callback: "https://a.example/" + private, Kind: feed.KindWebSub, Secret: "s3cret", Until: webtest.Noon().Add(240 * time.Hour)},
		{Topic: siteURL, Callback: "https://b.example/" + private, Kind: feed.KindWebSub, Health: feed.Health{
			Failures: 3, Since: webtest.Noon().Add(-time.Hour), Last: webtest.Noon().Add(-time.Minute), Status: 503, Reason: "5xx", Next: webtest.Noon().Add(time.Minute)}},
		{Topic: feed.SignalFilter{Source: siteURL}.Topic(), Callback: "https://c.example/" + private, Kind: feed.KindWebhook, Secret: feed.NewWebhookSecret()},
		{Topic: siteURL, Callback: "https://d.example/" + private, Kind: feed.KindPing},
	} {
		if err := f.Subscribe(t.Context(), &s); err != nil {
			t.Fatal(err)
		}
	}
	f.letters[0].Subscription = f.of("https://b.example/" + private).ID
	return f
}

// of returns the subscription of a callback.
func (f *fakeHub) of(callback string) feed.Subscription {
	return f.all[slices.IndexFunc(f.all, func(s feed.Subscription) bool { return s.Callback == callback })]
}

func (f *fakeHub) TopicHistory(ctx context.Context, id string) (h feed.TopicHistory, err error) {
	all, err := f.Topics(ctx)
	i := slices.IndexFunc(all, func(t feed.Topic) bool { return t.ID == id })
	if err == nil && i < 0 {
		err = fmt.Errorf("topic %s: %w", id, feed.ErrNotFound)
	}
	if err != nil {
		return h, err
	}
	return feed.TopicHistory{
		Topic: all[i],
		Versions: []feed.TopicVersion{
			{Version: 7, Time: webtest.Noon(), Size: 812, Delivered: 2, Failed: 1, Causes: map[string]int{"timeout": 1, "tls": 3, "5xx": 3}},
			{Version: 6, Time: webtest.Noon().Add(-time.Hour), Size: 640, Entries: 2, Delivered: 3},
		},
		Days: []feed.TopicDay{{Day: webtest.Noon().AddDate(0, 0, -1).Format(time.DateOnly), Subscribers: 5}, {Day: webtest.Noon().Format(time.DateOnly), Subscribers: 3}},
	}, nil
}
