package article

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Decide publishes or withdraws articles for a person, in one exchange, each independently of the others. Publishing starts a
// new revision without impressions, even if the article is already published. A repeated call with the same id returns the
// first result for 24 h; an id may not be used for anything else. Undo reverts the decisions for an hour.
//
// The error of a result is feed.ErrChanged if the article is not as it was seen, feed.ErrConflict if it cannot be withdrawn
// because it is not published, and feed.ErrNotFound if there is no such article.
func (s *Store) Decide(ctx context.Context, id string, decisions []feed.Decision) ([]feed.DecisionResult, error) {
	all, calls := make([]feed.DecisionResult, len(decisions)), make([]core.Invocation, len(decisions))
	for i, d := range decisions {
		if err := feed.CheckType(d.Type); err != nil {
			return nil, fmt.Errorf("decide about article %s: %w", d.UUID, err)
		}
		how := "withdraw"
		if d.Publish {
			how = "publish"
		}
		keys := append(s.keys.placement(d.UUID, d.Type), s.keys.Activity(s.db.Now()), s.keys.request(id+" "+d.UUID+" "+d.Type), s.keys.undo(id))
		all[i] = feed.DecisionResult{UUID: d.UUID, Type: d.Type}
		calls[i] = core.Invocation{Keys: keys, Args: []any{d.UUID, d.Type, s.db.Stamp(), "", how, string(d.Seen.State), d.Seen.Revision}}
	}
	if err := s.runDecisions(ctx, "place_article", calls, all); err != nil {
		return nil, fmt.Errorf("decide about %d articles: %w", len(decisions), err)
	}
	return all, nil
}

// Undo reverts the decisions of Decide or Dismiss with an id, in two exchanges, each independently of the others. Revisions are not
// reverted: they only increase. The error of a result is feed.ErrChanged if the article has changed since. feed.ErrNotFound:
// there is nothing to undo, or no longer.
func (s *Store) Undo(ctx context.Context, id string) ([]feed.DecisionResult, error) {
	names, err := redis.Strings(s.db.Do(ctx, group, "HKEYS", s.keys.undo(id)))
	if err == nil && len(names) == 0 {
		err = feed.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("undo: %w", err)
	}
	slices.Sort(names)
	script := "undo_placement" // an id names decisions of one kind
	all, calls := make([]feed.DecisionResult, len(names)), make([]core.Invocation, len(names))
	for i, name := range names {
		uuid, typ, _ := strings.Cut(name, " ")
		all[i] = feed.DecisionResult{UUID: uuid, Type: typ}
		if typ == "" {
			script = "undo_dismissal"
			calls[i] = s.dismissal(uuid, s.keys.undo(id))
			continue
		}
		keys := slices.Delete(s.keys.placement(uuid, typ), 1, 2) // without the set of all articles
		calls[i] = core.Invocation{Keys: append(keys, s.keys.undo(id)), Args: []any{uuid, typ, s.keys.Prefix()}}
	}
	if err := s.runDecisions(ctx, script, calls, all); err != nil {
		return nil, fmt.Errorf("undo: %w", err)
	}
	return all, nil
}

// runDecisions runs a script for each result.
func (s *Store) runDecisions(ctx context.Context, script string, calls []core.Invocation, results []feed.DecisionResult) error {
	replies, err := s.db.RunMany(ctx, s.scripts[script], calls)
	if err != nil {
		return err
	}
	for i, reply := range replies {
		if err := readDecision(&results[i], reply); err != nil {
			return fmt.Errorf("article %s: %w", results[i].UUID, err)
		}
	}
	return nil
}

// readDecision decodes a reply of a script that carries out or undoes a decision. The number of its values tells the result.
func readDecision(d *feed.DecisionResult, reply any) error {
	words, err := redis.Strings(reply, nil)
	if err != nil {
		return err
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(words[i]) // the scripts write a number there
		return n
	}
	switch {
	case len(words) == 1:
		d.Err = feed.ErrNotFound
	case len(words) == 2:
		d.Now.State, d.Err = feed.State(words[1]), feed.ErrConflict
	case len(words) == 3:
		d.Now, d.Err = feed.SeenState{State: feed.State(words[1]), Revision: number(2)}, feed.ErrChanged
	case len(words) == 5 && words[0] == "undone":
		d.Transition = feed.Transition{From: feed.State(words[1]), To: feed.State(words[2]), Revision: number(3), Changed: true}
		d.Since = number(4)
	case len(words) == 5:
		d.Transition = feed.Transition{
			From: feed.State(words[0]), To: feed.State(words[1]), Revision: number(2), Changed: words[3] == "1", Repeated: words[4] == "1",
		}
	default:
		return fmt.Errorf("the script returned %d values", len(words))
	}
	return nil
}
