package desk_test

import (
	"cmp"
	"context"
	"slices"

	"github.com/feedwire/feedwire/store/feed"
)

// keptAnswer is a claim, or what was answered.
type keptAnswer struct {
	sum, token string // token is empty once it is answered
	answer     feed.StoredResponse
}

func (f *fakeStore) SourcesPage(ctx context.Context, after string, limit int) ([]feed.Source, string, error) {
	all, err := f.Sources(ctx)
	all = slices.DeleteFunc(all, func(s feed.Source) bool { return s.URL <= after })
	if len(all) > limit {
		return all[:limit], all[limit-1].URL, err
	}
	return all, "", err
}

func (f *fakeStore) EntriesPage(ctx context.Context, feedURL string, from feed.Cursor, limit int) ([]feed.Entry, feed.Cursor, error) {
	all, err := f.Entries(ctx, feedURL, 1000)
	at := func(e *feed.Entry) feed.Cursor { return feed.Cursor{Score: float64(e.Timestamp.Unix()), Member: e.ID} }
	if !from.IsZero() {
		all = slices.DeleteFunc(all, func(e feed.Entry) bool {
			c := at(&e)
			return cmp.Or(cmp.Compare(c.Score, from.Score), cmp.Compare(c.Member, from.Member)) >= 0
		})
	}
	if len(all) > limit {
		return all[:limit], at(&all[limit-1]), err
	}
	return all, feed.Cursor{}, err
}

func (f *fakeStore) ClaimResponse(_ context.Context, id, sum, token string) (feed.StoredResponse, bool, error) {
	defer f.lock()()
	if f.err != nil {
		return feed.StoredResponse{}, false, f.err
	}
	kept, ok := f.answers[id]
	switch {
	case !ok:
		if f.answers == nil {
			f.answers = make(map[string]keptAnswer)
		}
		f.answers[id] = keptAnswer{sum: sum, token: token}
		return feed.StoredResponse{}, false, nil
	case kept.sum != sum:
		return feed.StoredResponse{}, false, feed.ErrKeyReused
	case kept.token != "":
		return feed.StoredResponse{}, false, feed.ErrUnderWay
	}
	return kept.answer, true, nil
}

func (f *fakeStore) StoreResponse(_ context.Context, id, token string, a *feed.StoredResponse) error {
	defer f.lock()()
	if kept := f.answers[id]; kept.token == token {
		f.answers[id] = keptAnswer{sum: kept.sum, answer: *a}
	}
	return nil
}

func (f *fakeStore) DropResponse(_ context.Context, id, token string) error {
	defer f.lock()()
	if f.answers[id].token == token {
		delete(f.answers, id)
	}
	return nil
}
