package source

import (
	"context"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
)

// ReclaimSources makes due what this daemon had claimed when it was last killed, instead of at the end of the leases. It returns how
// many sources. It must run before the first claim.
func (s *Store) ReclaimSources(ctx context.Context) (int, error) {
	if s.db.Options().Owner == "" {
		return 0, nil
	}
	return s.reclaim(ctx, s.owner())
}

// reclaim makes due what is leased under tokens with a prefix.
func (s *Store) reclaim(ctx context.Context, prefix string) (total int, err error) {
	calls := make([]core.Invocation, len(s.db.Sources()))
	for i, space := range s.db.Sources() {
		k := keys{Keyspace: space}
		calls[i] = core.Invocation{Keys: []any{k.due(), k.lease()}, Args: []any{prefix, s.db.Stamp(), k.Prefix()}}
	}
	counts, err := redis.Ints(s.db.RunMany(ctx, s.scripts["reclaim_sources"], calls))
	for _, n := range counts {
		total += n
	}
	return total, core.Wrap(err, "reclaim sources")
}

// owner begins the tokens of this daemon's leases.
func (s *Store) owner() string {
	if owner := s.db.Options().Owner; owner != "" {
		return owner + "-"
	}
	return ""
}
