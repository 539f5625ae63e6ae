package people

import (
	"context"
	"strings"

	"github.com/gomodule/redigo/redis"
)

// Upgrade rewrites accounts of layout 2, whose keys contained their names: each gets an id and keeps its sessions, its link and the
// networks it is known from. It is safe to repeat.
func (s *Store) Upgrade(ctx context.Context) error {
	names, err := redis.Strings(s.db.Do(ctx, "upgrade", "SMEMBERS", s.keys.Key("accounts")))
	for i := 0; i < len(names) && err == nil; i++ {
		err = s.upgrade(ctx, names[i])
	}
	if err != nil {
		return err
	}
	return s.db.Walk(ctx, func(keys []string) (err error) {
		for i := 0; i < len(keys) && err == nil; i++ {
			if strings.HasPrefix(s.db.Name(keys[i]), "link:") {
				_, err = s.db.Run(ctx, s.scripts["upgrade_link"], []any{keys[i]}, []any{s.keys.idOf("")})
			}
		}
		return err
	})
}

// upgrade rewrites an account with its sessions.
func (s *Store) upgrade(ctx context.Context, name string) error {
	k := s.keys
	old := k.Key("account:" + name)
	known, err := redis.Strings(s.db.Do(ctx, "upgrade", "ZRANGE", old+":known", 0, -1, "WITHSCORES"))
	if err != nil {
		return err
	}
	args := []any{name, k.users(), k.auths(), k.Key("session:"), int(knownTTL.Seconds())}
	for i := 0; i+1 < len(known); i += 2 {
		args = append(args, known[i+1], networkOf(known[i])) // the first versions stored whole addresses
	}
	_, err = s.db.Run(ctx, s.scripts["upgrade_account"],
		[]any{old, k.Key("accounts"), old + ":sessions", old + ":known", k.idOf(name), k.lastID(), k.staff()}, args)
	return err
}
