package ops

import (
	"context"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

// Minutes is core.DB.Minutes.
func (s *Store) Minutes(ctx context.Context) ([]feed.Minute, error) { return s.db.Minutes(ctx) }

// RedisState examines the server and tries a write. It fails only if the server does not reply: if the write or a command is refused,
// the state shows it.
func (s *Store) RedisState(ctx context.Context) (state feed.RedisState, err error) {
	var b core.Batch
	b.ReturnErrors()
	b.Add("SET", s.db.ReadyKey(), s.db.Stamp(), "EX", 60)
	b.Add("INFO", "memory")
	b.Add("INFO", "persistence")
	r, err := s.db.Exchange(ctx, "check", &b)
	if err != nil {
		return state, fmt.Errorf("examine Redis: %w", err)
	}
	if refused, ok := r.Next().(redis.Error); ok {
		state.WriteError = string(core.ClassOf(refused))
	}
	info := serverInfo(r.Text() + r.Text())
	state.MemoryUsed, state.MemoryLimit, state.AppendOnly = info.number("used_memory"), info.number("maxmemory"), info.field("aof_enabled") == "1"
	if seconds := info.number("rdb_last_save_time"); seconds > 0 {
		state.Saved = time.Unix(seconds, 0).UTC()
	}
	state.DiskFails = info.field("rdb_last_bgsave_status") == "err" || state.AppendOnly && info.field("aof_last_write_status") == "err"
	return state, nil
}
