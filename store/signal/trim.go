package signal

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
)

// TrimSignals removes signals older than keep, except those that a group has not acknowledged and those from the id floor on ("" for
// none), and returns how many. A limit of the number of signals would remove those of a slow reader without notice.
func (s *Store) TrimSignals(ctx context.Context, keep time.Duration, floor string) (int, error) {
	removed, err := redis.Int(s.db.Call(ctx, group, func(c redis.Conn) (any, error) {
		lowest := strconv.FormatInt(s.db.Now().Add(-keep).UnixMilli(), 10) + "-0"
		if floor != "" && core.IDLess(floor, lowest) {
			lowest = floor
		}
		groups, err := redis.Values(c.Do("XINFO", "GROUPS", s.db.Signals()))
		if err != nil && strings.Contains(err.Error(), "no such key") {
			return int64(0), nil
		}
		if err != nil {
			return nil, err
		}
		for _, info := range groups {
			oldest, err := oldestPending(c, s.db.Signals(), info)
			if err != nil {
				return nil, err
			}
			if core.IDLess(oldest, lowest) {
				lowest = oldest
			}
		}
		return c.Do("XTRIM", s.db.Signals(), "MINID", lowest)
	}))
	if err != nil {
		return 0, fmt.Errorf("trim signals: %w", err)
	}
	return removed, nil
}

// oldestPending returns the lowest id that a group still needs, given its element of XINFO GROUPS.
func oldestPending(c redis.Conn, key string, info any) (string, error) {
	fields, err := core.GroupFields(info)
	if err != nil {
		return "", err
	}
	pending, err := redis.Values(c.Do("XPENDING", key, fields["name"]))
	if err != nil {
		return "", err
	}
	if len(pending) > 1 && pending[1] != nil {
		return redis.String(pending[1], nil)
	}
	return fields["last-delivered-id"], nil
}
