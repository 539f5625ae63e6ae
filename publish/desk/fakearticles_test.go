package desk_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// FindArticles pages by the offset in the cursor's score.
func (f *fakeStore) FindArticles(_ context.Context, q feed.ArticleQuery, types []string, match func(*feed.Article) bool) (
	page feed.ArticlePage, err error,
) {
	defer f.lock()()
	var all []feed.Article
	for _, a := range f.articles {
		if q.State == "" && !a.Updated.Before(q.Since) || q.State != "" && a.Feeds[q.Type].State == q.State {
			a.Content = ""
			all = append(all, only(a, types))
		}
	}
	slices.SortFunc(all, func(a, b feed.Article) int {
		return cmp.Or(b.Updated.Compare(a.Updated), strings.Compare(a.UUID, b.UUID))
	})
	from := int(q.From.Score)
	for i := from; i < len(all); i++ {
		page.Looked++
		if match(&all[i]) {
			page.Articles = append(page.Articles, all[i])
		}
		if (len(page.Articles) == q.Limit || page.Looked == q.Look) && i+1 < len(all) {
			page.Next = feed.Cursor{Score: float64(i + 1), Member: "x"}
			break
		}
	}
	return page, f.err
}

func (f *fakeStore) ArticleView(ctx context.Context, uuid string, types []string, _ int) (feed.ArticleView, error) {
	a, err := f.Article(ctx, uuid, types)
	defer f.lock()()
	view := feed.ArticleView{Article: a, Versions: f.versions[uuid], AuditEntries: f.deeds[uuid], Visits: map[string][]feed.Visit{}}
	for _, typ := range types {
		view.Visits[typ] = f.visits
	}
	for _, s := range f.sources {
		if s.URL == a.FeedURL {
			view.Source = s
		}
	}
	return view, err
}

func (f *fakeStore) Decide(ctx context.Context, id string, decisions []feed.Decision) ([]feed.DecisionResult, error) {
	all := make([]feed.DecisionResult, len(decisions))
	for i, d := range decisions {
		all[i] = feed.DecisionResult{UUID: d.UUID, Type: d.Type}
		a, err := f.Article(ctx, d.UUID, []string{d.Type})
		if err != nil {
			all[i].Err = err
			continue
		}
		now := feed.SeenState{State: cmp.Or(a.Feeds[d.Type].State, feed.StateUnpublished), Revision: a.Feeds[d.Type].Revision}
		if _, again := f.requests[id+d.UUID+d.Type]; !again && d.Seen.State != "" && d.Seen != now {
			all[i].Now, all[i].Err = now, feed.ErrChanged
			continue
		}
		move := f.Withdraw
		if d.Publish {
			move = f.Publish
		}
		f.undo[id] = append(f.undo[id], feed.Article{UUID: d.UUID, Feeds: map[string]feed.Placement{d.Type: a.Feeds[d.Type]}})
		all[i].Transition, all[i].Err = move(ctx, d.UUID, d.Type, id+d.UUID+d.Type)
		if errors.Is(all[i].Err, feed.ErrConflict) {
			all[i].Now = feed.SeenState{State: now.State}
		}
	}
	return all, f.err
}

func (f *fakeStore) Undo(_ context.Context, id string) (all []feed.DecisionResult, err error) {
	defer f.lock()()
	if f.undo[id] == nil {
		return nil, fmt.Errorf("undo: %w", cmp.Or(f.err, feed.ErrNotFound))
	}
	for _, was := range f.undo[id] {
		for typ, p := range was.Feeds {
			a := f.articles[was.UUID]
			from := a.Feeds[typ].State
			a.Feeds[typ] = p
			all = append(all, feed.DecisionResult{UUID: was.UUID, Type: typ, Transition: feed.Transition{From: from, To: cmp.Or(p.State, feed.StateUnpublished), Changed: true}})
		}
	}
	return all, f.err
}
