package desk_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

func (f *fakeStore) SourceStates(ctx context.Context, alarm, limit int, late time.Time) (view feed.SourceStates, err error) {
	all, _ := f.Sources(ctx)
	view.Sources = make(map[feed.SourceState]int)
	for i := range all {
		s := &all[i]
		state := s.State()
		view.Sources[state]++
		if state == feed.SourceGone || state == feed.SourceFailing && s.Poll.Errors >= alarm {
			if view.Alarms++; len(view.Alarming) < limit {
				view.Alarming = append(view.Alarming, *s)
			}
		}
		if state == feed.SourceActive && s.Poll.NextPoll.Before(late) && !s.Poll.NextPoll.IsZero() {
			view.Late++
		}
	}
	return view, f.err
}

func (f *fakeStore) Articles(_ context.Context, uuids, types []string) (all []feed.Article, err error) {
	defer f.lock()()
	for _, uuid := range uuids {
		if a, ok := f.articles[uuid]; ok {
			all = append(all, only(a, types))
		}
	}
	return all, f.err
}

func (f *fakeStore) HubState(context.Context) (feed.HubState, error) { return f.wire.Hub, f.err }

func (f *fakeStore) OutboxState(context.Context) (feed.OutboxState, error) {
	defer f.lock()()
	return feed.OutboxState{Stored: len(f.signals), OldestPending: f.wire.OldestPending}, f.err
}

func (f *fakeStore) Jobs(context.Context, int) ([]feed.Job, error) { return f.wire.Imports, f.err }

func (f *fakeStore) Minutes(context.Context) ([]feed.Minute, error) {
	if f.wire.Minutes == nil {
		return make([]feed.Minute, feed.OverviewMinutes), f.err
	}
	return f.wire.Minutes, f.err
}

func (f *fakeStore) RedisState(context.Context) (feed.RedisState, error) { return f.wire.Redis, f.err }

func (f *fakeStore) ListSources(ctx context.Context) ([]feed.Source, error) { return f.Sources(ctx) }

func (f *fakeStore) SourceWithEntries(ctx context.Context, id string, limit int) (feed.Source, []feed.Entry, error) {
	s, err := f.Source(ctx, id)
	if err != nil {
		return s, nil, err
	}
	entries, err := f.Entries(ctx, s.URL, limit)
	return s, entries, err
}

func (f *fakeStore) RestoreSource(_ context.Context, id string) (feed.Source, error) {
	defer f.lock()()
	s, ok := f.removed[id]
	if !ok {
		return s, fmt.Errorf("removed source %s: %w", id, cmp.Or(f.err, feed.ErrNotFound))
	}
	f.sources[id] = s
	delete(f.removed, id)
	return s, f.err
}

func (f *fakeStore) FeedStates(ctx context.Context, types []string, visits int) ([]feed.OutgoingState, error) {
	all := make([]feed.OutgoingState, len(types))
	for i, typ := range types {
		all[i], _ = f.FeedState(ctx, typ, 0, visits)
	}
	return all, f.err
}

func (f *fakeStore) FeedState(_ context.Context, typ string, articles, visits int) (feed.OutgoingState, error) {
	defer f.lock()()
	state := feed.OutgoingState{Articles: map[feed.State]int{}, Visits: f.visits[:min(visits, len(f.visits))]}
	for _, a := range f.articles {
		p := a.Feeds[typ]
		state.Articles[p.State]++
		if p.State == feed.StatePublished && (state.Oldest.IsZero() || p.Published.Before(state.Oldest)) {
			state.Oldest = p.Published
		}
		if p.Published.After(state.Changed) {
			state.Changed = p.Published
		}
		if p.State == feed.StatePublished && len(state.Published) < articles {
			a.Content = ""
			state.Published = append(state.Published, only(a, []string{typ}))
		}
	}
	slices.SortFunc(state.Published, func(a, b feed.Article) int { return b.Feeds[typ].Published.Compare(a.Feeds[typ].Published) })
	return state, f.err
}

func (f *fakeStore) FindSignals(_ context.Context, q feed.SignalQuery) (found []feed.Signal, next string, err error) {
	defer f.lock()()
	for _, s := range slices.Backward(f.signals) {
		switch {
		case q.Before != "" && s.ID >= q.Before, len(q.Kinds) > 0 && !slices.Contains(q.Kinds, s.Kind), !strings.Contains(s.FeedURL, q.Text),
			q.FeedURL != "" && s.FeedURL != q.FeedURL, s.Time.Before(q.Since):
			continue
		case len(found) == q.Limit:
			return found, found[q.Limit-1].ID, f.err
		}
		found = append(found, s)
	}
	return found, "", f.err
}

func (f *fakeStore) Signal(_ context.Context, id string) (feed.Signal, error) {
	defer f.lock()()
	for _, s := range f.signals {
		if s.ID == id {
			return s, f.err
		}
	}
	return feed.Signal{}, fmt.Errorf("signal %s: %w", id, cmp.Or(f.err, feed.ErrNotFound))
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
