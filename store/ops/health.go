package ops

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"
)

// Health describes the server. Fields that the user may not read are empty, and listed in Unseen.
type Health struct {
	Version    string        // "7.0.15"; empty: the store is in memory
	Role       string        // "master" or "slave"
	AOF        bool          // every write is appended to a file
	Fsync      string        // of that file: "always", "everysec" or "no"
	SaveErrors []string      // fields of INFO that report failed writes to disk: "aof_last_write_status"
	Policy     string        // "noeviction"
	Memory     int64         // in use, in bytes
	MaxMemory  int64         // 0: no limit
	Listpack   int           // zset-max-listpack-entries; 0: unknown
	Timeout    time.Duration // after which idle connections are closed; 0: never
	Skew       time.Duration // of the server's clock against ours, within the duration of the call
	Refused    []string      // commands that the user may not call (Redis 7 or newer)
	Unseen     []string      // commands that the user may not call to examine the server
}

// neededCommands are commands that feedwire calls and that an ACL may refuse. An ACL may allow only keys with the prefix.
func neededCommands(prefix string) [][]any {
	key := prefix + "x"
	return [][]any{
		{"EVALSHA", "x", 1, key}, {"SCRIPT", "LOAD", "x"}, {"XREADGROUP", "GROUP", "g", "c", "STREAMS", key, ">"}, {"XAUTOCLAIM", key, "g", "c", 0, 0},
		{"SCAN", 0}, {"DUMP", key}, {"CLIENT", "PAUSE", 1, "WRITE"},
	}
}

// Health examines the server. It fails only if the server does not reply.
func (s *Store) Health(ctx context.Context) (Health, error) {
	h := Health{}
	_, err := s.db.Call(ctx, "check", func(c redis.Conn) (any, error) {
		sent := time.Now()
		clock, err := redis.Int64s(c.Do("TIME"))
		if err != nil {
			return nil, err
		}
		if len(clock) == 2 {
			middle := sent.Add(time.Since(sent) / 2)
			h.Skew = time.Unix(clock[0], clock[1]*1000).Sub(middle).Round(time.Millisecond)
		}
		if err := h.readInfo(c); err != nil {
			return nil, err
		}
		if h.Version == "" {
			return nil, nil //nolint:nilnil // in memory: nothing more to examine
		}
		return nil, errors.Join(h.readConfig(c), h.readRights(c, s.db.Prefix()))
	})
	return h, err
}

// addUnseen records a command that the server refused. It returns errors of the connection.
func (h *Health) addUnseen(command string, err error) error {
	var reply redis.Error
	if errors.As(err, &reply) {
		h.Unseen = append(h.Unseen, command)
		return nil
	}
	return err
}

func (h *Health) readInfo(c redis.Conn) error {
	var info serverInfo
	for _, section := range []string{"server", "memory", "persistence", "replication"} {
		text, err := redis.String(c.Do("INFO", section))
		if err := h.addUnseen("INFO "+section, err); err != nil {
			return err
		}
		info += serverInfo(text + "\n")
	}
	h.Version, h.Role = info.field("redis_version"), info.field("role")
	h.AOF = info.field("aof_enabled") == "1"
	h.Memory, h.MaxMemory, h.Policy = info.number("used_memory"), info.number("maxmemory"), info.field("maxmemory_policy")
	for _, name := range []string{"aof_last_write_status", "aof_last_bgrewrite_status", "rdb_last_bgsave_status"} {
		if status := info.field(name); status != "" && status != "ok" {
			h.SaveErrors = append(h.SaveErrors, name)
		}
	}
	return nil
}

func (h *Health) readConfig(c redis.Conn) error {
	config := make(map[string]string)
	for _, name := range []string{"appendfsync", "timeout", "zset-max-listpack-entries"} {
		found, err := redis.StringMap(c.Do("CONFIG", "GET", name))
		if err := h.addUnseen("CONFIG GET "+name, err); err != nil {
			return err
		}
		config[name] = found[name]
	}
	seconds, _ := strconv.Atoi(config["timeout"])                     // unseen: 0
	h.Listpack, _ = strconv.Atoi(config["zset-max-listpack-entries"]) // before Redis 7: 0
	h.Fsync, h.Timeout = config["appendfsync"], time.Duration(seconds)*time.Second
	return nil
}

// readRights examines which commands the user may call. Before Redis 7 a server cannot report that.
func (h *Health) readRights(c redis.Conn, prefix string) error {
	who, err := redis.String(c.Do("ACL", "WHOAMI"))
	if err != nil {
		return h.addUnseen("ACL WHOAMI", err)
	}
	for _, command := range neededCommands(prefix) {
		verdict, err := redis.String(c.Do("ACL", append([]any{"DRYRUN", who}, command...)...))
		if err != nil {
			return h.addUnseen("ACL DRYRUN", err)
		}
		if verdict != "OK" {
			h.Refused = append(h.Refused, command[0].(string))
		}
	}
	return nil
}
