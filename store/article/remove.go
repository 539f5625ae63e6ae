package article

import (
	"context"
	"errors"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
)

// RemoveArticle deletes an article from every feed, with its history, because its entry was taken down. It is a no-op if there is no such
// article, except that it counts in Removals.
func (s *Store) RemoveArticle(ctx context.Context, uuid string) error {
	k := s.keys
	_, err := s.db.Run(ctx, s.scripts["remove_article"],
		[]any{k.article(uuid), k.content(uuid), k.articles(), k.versions(uuid), k.audit(uuid), k.removals(), k.inbox(), k.dismissed()}, []any{uuid, k.Prefix()})
	return core.Wrap(err, "remove article %s", uuid)
}

// Removals counts the calls of RemoveArticle by all daemons. A copy of a feed from before a call may show the removed article.
func (s *Store) Removals(ctx context.Context) (int, error) {
	n, err := redis.Int(s.db.Do(ctx, group, "GET", s.keys.removals()))
	if errors.Is(err, redis.ErrNil) {
		return 0, nil
	}
	return n, core.Wrap(err, "count removals")
}
