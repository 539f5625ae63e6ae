package ranking

import (
	"context"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// FollowRules makes each entry a member of the groups whose rules select it, and removes it from those that it joined by rule and whose rules do not
// select it now. Editors have the last word: who was added by AddToGroup stays, and who was removed by RemoveFromGroup does not return. It
// returns how many memberships there are too many groups for. It is safe to repeat.
func (s *Store) FollowRules(ctx context.Context, all []feed.Selected) (refused int, err error) {
	calls := make([]core.Invocation, len(all))
	for i := range all {
		args := []any{feed.MaxGroups, feed.MaxGroupsOf}
		for _, name := range all[i].Groups {
			args = append(args, name)
		}
		calls[i] = s.call(&all[i].Entry, []any{s.keys().groups()}, args)
	}
	counts, err := redis.Ints(s.db.RunMany(ctx, s.scripts["follow_rules"], calls))
	for _, n := range counts {
		refused += n
	}
	return refused, core.Wrap(err, "follow the rules of groups")
}

// RulesFollowed returns what SetRulesFollowed stored last; empty: nothing.
func (s *Store) RulesFollowed(ctx context.Context) (string, error) {
	digest, err := core.OptionalString(s.db.Do(ctx, opGroup, "GET", s.keys().rules()))
	return digest, core.Wrap(err, "read which rules of groups are followed")
}

// SetRulesFollowed stores the digest of rules that all entries follow.
func (s *Store) SetRulesFollowed(ctx context.Context, digest string) error {
	_, err := s.db.Do(ctx, opGroup, "SET", s.keys().rules(), digest)
	return core.Wrap(err, "store which rules of groups are followed")
}
