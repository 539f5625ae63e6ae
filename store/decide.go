package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// Decide does what a person wants of articles, in one exchange, each by itself: puts one out in a new revision, whose
// impressions count from zero, also where it is out already (seed 000, fourth and fifth story), or takes it back (sixth).
// feed.ErrChanged of one, with how it is now, means that somebody else came before, feed.ErrConflict that it is not out and
// cannot be taken back. Undo brings all back for an hour. The same id again answers for a day what it answered the first time,
// and may not be used for anything else.
func (s *Store) Decide(ctx context.Context, id string, decisions []feed.Decision) ([]feed.Decided, error) {
	calls := make([][]any, len(decisions))
	for i := range decisions {
		d := &decisions[i]
		if err := feed.CheckType(d.Type); err != nil {
			return nil, fmt.Errorf("decide about article %s: %w", d.UUID, err)
		}
		how := "take_back"
		if d.Publish {
			how = "publish"
		}
		keys := append(s.keys.placement(d.UUID, d.Type), s.keys.activity(s.opts.Now()), s.keys.request(id+" "+d.UUID+" "+d.Type), s.keys.undo(id))
		calls[i] = s.withKeys(keys, []any{d.UUID, d.Type, s.stamp(), "", how, string(d.Seen.State), d.Seen.Revision})
	}
	replies, err := s.runMany(ctx, "place_article", calls)
	if err != nil {
		return nil, fmt.Errorf("decide about %d articles: %w", len(decisions), err)
	}
	all := make([]feed.Decided, len(decisions))
	for i, d := range decisions {
		all[i] = feed.Decided{UUID: d.UUID, Type: d.Type}
		if err := decidedFrom(&all[i], replies[i]); err != nil {
			return nil, fmt.Errorf("decide about article %s: %w", all[i].UUID, err)
		}
	}
	return all, nil
}

// Undo brings back what Decide changed with this id, in two exchanges, each article by itself: feed.ErrChanged of one,
// with how it is now, means that somebody or its consumer changed it since. Its revision only counts up.
// feed.ErrNotFound: there is nothing to undo any more.
func (s *Store) Undo(ctx context.Context, id string) ([]feed.Decided, error) {
	names, err := redis.Strings(s.do(ctx, "HKEYS", s.keys.undo(id)))
	if err == nil && len(names) == 0 {
		err = feed.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("undo: %w", err)
	}
	slices.Sort(names)
	all, calls := make([]feed.Decided, len(names)), make([][]any, len(names))
	for i, name := range names {
		uuid, typ, _ := strings.Cut(name, " ")
		all[i] = feed.Decided{UUID: uuid, Type: typ}
		keys := slices.Delete(s.keys.placement(uuid, typ), 1, 2) // all but the list of articles
		calls[i] = s.withKeys(append(keys, s.keys.undo(id)), []any{uuid, typ, s.stamp()})
	}
	replies, err := s.runMany(ctx, "undo_placement", calls)
	if err != nil {
		return nil, fmt.Errorf("undo: %w", err)
	}
	for i, reply := range replies {
		if err := decidedFrom(&all[i], reply); err != nil {
			return nil, fmt.Errorf("undo of article %s: %w", all[i].UUID, err)
		}
	}
	return all, nil
}

// decidedFrom reads what place_article and undo_placement answer.
func decidedFrom(d *feed.Decided, reply any) error {
	words, err := redis.Strings(reply, nil)
	if err != nil {
		return err
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(words[i]) // the scripts write numbers there
		return n
	}
	switch {
	case len(words) == 1:
		d.Err = feed.ErrNotFound
	case len(words) == 2:
		d.Now.State, d.Err = feed.State(words[1]), feed.ErrConflict
	case len(words) == 3:
		d.Now, d.Err = feed.Sighting{State: feed.State(words[1]), Revision: number(2)}, feed.ErrChanged
	case len(words) == 5 && words[0] == "undone":
		d.Transition = feed.Transition{From: feed.State(words[1]), To: feed.State(words[2]), Revision: number(3), Changed: true}
		d.Since = number(4)
	case len(words) == 5:
		d.Transition = feed.Transition{
			From: feed.State(words[0]), To: feed.State(words[1]), Revision: number(2), Changed: words[3] == "1", Repeated: words[4] == "1",
		}
	default:
		return fmt.Errorf("the script answered %d values", len(words))
	}
	return nil
}
