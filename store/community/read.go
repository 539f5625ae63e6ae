package community

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

var newsFields = core.FieldsOf[feed.News]()

// NewsPlaces returns up to limit numbers of submissions that are not deleted after a cursor, and whether more follow.
func (s *Store) NewsPlaces(ctx context.Context, order feed.NewsOrder, after feed.Cursor, limit int) (places []feed.Cursor, more bool, err error) {
	places, more, err = s.db.Page(ctx, group, s.newsList(order), time.Time{}, after, limit)
	return places, more, core.Wrap(err, "list submissions")
}

// UnlistedPlaces is NewsPlaces for the submissions that are in no list and whose entry may still end.
func (s *Store) UnlistedPlaces(ctx context.Context, after feed.Cursor, limit int) (places []feed.Cursor, more bool, err error) {
	places, more, err = s.db.Page(ctx, group, s.keys().unlisted(), time.Time{}, after, limit)
	return places, more, core.Wrap(err, "list submissions that are in no list")
}

// PublicNews reports by id which of some entries are submissions that everyone sees.
func (s *Store) PublicNews(ctx context.Context, ids []string) (map[string]bool, error) {
	public := make(map[string]bool, len(ids))
	return public, s.eachNews(ctx, ids, func(id string, seen bool) { public[id] = seen })
}

// HiddenNews reports by id which of some entries are submissions that not everyone sees.
func (s *Store) HiddenNews(ctx context.Context, ids []string) (map[string]bool, error) {
	hidden := make(map[string]bool)
	return hidden, s.eachNews(ctx, ids, func(id string, seen bool) { hidden[id] = !seen })
}

// eachNews calls f for those of some entries that are submissions, with whether everyone sees it.
func (s *Store) eachNews(ctx context.Context, ids []string, f func(id string, seen bool)) error {
	k := s.keys()
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, id := range ids {
			b.Add("HMGET", k.news(numberOf(id)), "id", "del", "state")
		}
	})
	if err != nil {
		return core.Wrap(err, "read submissions")
	}
	for _, id := range ids {
		if is := r.Texts(); is[0] != "" {
			f(id, is[1] == "" && is[2] == "")
		}
	}
	return nil
}

// CommentCounts returns how many comments those of some entries have that are submissions which everyone sees, by id. It is empty unless
// Options.Community is set.
func (s *Store) CommentCounts(ctx context.Context, ids []string) (map[string]int, error) {
	counts := make(map[string]int)
	if len(ids) == 0 || !s.db.Options().Community {
		return counts, nil
	}
	k := s.keys()
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, id := range ids {
			b.Add("HMGET", k.news(numberOf(id)), "comments", "del", "state")
		}
	})
	if err != nil {
		return counts, core.Wrap(err, "count comments")
	}
	for _, id := range ids {
		if is := r.Texts(); is[0] != "" && is[1] == "" && is[2] == "" {
			counts[id], _ = strconv.Atoi(is[0]) // scripts count
		}
	}
	return counts, nil
}

// NewsRange returns the numbers of up to count submissions that are not deleted, from a place in their order, and how many there are.
func (s *Store) NewsRange(ctx context.Context, order feed.NewsOrder, start, count int) (ids []int64, total int, err error) {
	key := s.newsList(order)
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		b.Add("ZREVRANGE", key, start, start+count-1)
		b.Add("ZCARD", key)
	})
	if err == nil {
		for _, n := range r.Texts() {
			id, _ := strconv.ParseInt(n, 10, 64) // members are numbers
			ids = append(ids, id)
		}
		total = r.Count()
	}
	return ids, total, core.Wrap(err, "list submissions")
}

// newsList returns the key of the submissions in an order.
func (s *Store) newsList(order feed.NewsOrder) string {
	if order == feed.NewsTop {
		return s.keys().top()
	}
	return s.keys().latest()
}

// News returns those of some submissions that exist, in their order, with the votes of a user; 0: no user. Deleted and removed ones have no
// title, URL and text. Hidden ones exist for their authors only.
func (s *Store) News(ctx context.Context, user int64, ids ...int64) ([]feed.News, error) {
	all, err := s.ModeratedNews(ctx, user, ids...)
	shown := all[:0]
	for i := range all {
		if all[i].Show(user) {
			shown = append(shown, all[i])
		}
	}
	return shown, err
}

// ModeratedNews is News as moderators read it: hidden and removed submissions are complete, and have a state.
func (s *Store) ModeratedNews(ctx context.Context, user int64, ids ...int64) ([]feed.News, error) {
	k, all := s.keys(), make([]feed.News, 0, len(ids))
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, n := range ids {
			b.Add("HGETALL", k.news(n))
			b.Add("ZSCORE", k.up(n), user)
			b.Add("ZSCORE", k.down(n), user)
		}
	})
	if err != nil {
		return nil, core.Wrap(err, "read submissions")
	}
	for range ids {
		hash, up, down := r.Map(), r.Text(), r.Text()
		if n := newsFrom(hash, up != "", down != ""); n.ID != 0 {
			own, _ := strconv.Atoi(hash[hiddenOf(user)]) // empty: none
			n.Comments += own
			all = append(all, n)
		}
	}
	authors := make([]int64, len(all))
	for i := range all {
		authors[i] = all[i].AuthorID
	}
	names, err := s.Names(ctx, authors...)
	for i := range all {
		all[i].Author = names[all[i].AuthorID]
	}
	return all, core.Wrap(err, "read submissions")
}

// hiddenOf returns the field of news that counts the hidden comments of an account.
func hiddenOf(user int64) string { return "hidden:" + strconv.FormatInt(user, 10) }

// newsFrom reads the hash of a submission. If there is none, the ID is 0.
func newsFrom(hash map[string]string, up, down bool) (n feed.News) {
	newsFields.Read(hash, &n)
	n.Score, _ = strconv.ParseFloat(hash["score"], 64)
	n.Rank, _ = strconv.ParseFloat(hash["rank"], 64)
	n.Vote = feed.VoteNone
	if up {
		n.Vote = feed.VoteUp
	} else if down {
		n.Vote = feed.VoteDown
	}
	if n.State != feed.Rejected {
		n.Reason = ""
	}
	n.Hide()
	return n
}

// Names returns the names of accounts by their ids. Accounts that were removed have none.
func (s *Store) Names(ctx context.Context, accounts ...int64) (map[int64]string, error) {
	names, k := make(map[int64]string, len(accounts)), s.keys()
	for _, id := range accounts {
		names[id] = ""
	}
	delete(names, 0)
	ids := slices.Collect(maps.Keys(names))
	if len(ids) == 0 {
		return names, nil
	}
	r, err := s.db.Pipeline(ctx, group, func(b *core.Batch) {
		for _, id := range ids {
			b.Add("HGET", k.user(id), "username")
		}
	})
	if err != nil {
		return nil, core.Wrap(err, "read names")
	}
	for _, id := range ids {
		names[id] = r.Text()
	}
	return names, nil
}
