package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"
)

// Health is what the server tells of itself. What it does not tell this user is empty, and named in Unseen.
type Health struct {
	Version    string        // "7.0.15"; empty: a store in memory
	Role       string        // "master" or "slave"
	AOF        bool          // each write goes to a file
	Fsync      string        // how soon: "always", "everysec" or "no"
	SaveErrors []string      // fields of INFO by which writing to disk fails: "aof_last_write_status"
	Policy     string        // "noeviction"
	Memory     int64         // in use, in bytes
	MaxMemory  int64         // 0: no limit
	Timeout    time.Duration // after which idle connections are closed; 0: never
	Skew       time.Duration // of the server's clock against ours; as exact as the call is quick
	Refused    []string      // commands that the user may not call, where the server tells (Redis 7)
	Unseen     []string      // what could not be asked for
}

// needed are commands that feedwire calls and that a user of its own may lack. Such a user may be kept to keys with a prefix.
func needed(prefix string) [][]any {
	key := prefix + "x"
	return [][]any{
		{"EVALSHA", "x", 1, key}, {"SCRIPT", "LOAD", "x"}, {"XREADGROUP", "GROUP", "g", "c", "STREAMS", key, ">"}, {"XAUTOCLAIM", key, "g", "c", 0, 0},
		{"SCAN", 0}, {"DUMP", key}, {"CLIENT", "PAUSE", 1, "WRITE"},
	}
}

// Health asks the server how it is. An error says that it does not answer.
func (s *Store) Health(ctx context.Context) (Health, error) {
	h := Health{}
	_, err := s.call(ctx, "check", func(c redis.Conn) (any, error) {
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
			return nil, nil //nolint:nilnil // in memory: there is no more to see
		}
		return nil, errors.Join(h.readConfig(c), h.readRights(c, s.keys.prefix))
	})
	return h, err
}

// unseen notes what the server refuses to tell; an error is one of the connection.
func (h *Health) unseen(what string, err error) error {
	var reply redis.Error
	if errors.As(err, &reply) {
		h.Unseen = append(h.Unseen, what)
		return nil
	}
	return err
}

func (h *Health) readInfo(c redis.Conn) error {
	info := ""
	for _, section := range []string{"server", "memory", "persistence", "replication"} {
		text, err := redis.String(c.Do("INFO", section))
		if err := h.unseen("INFO "+section, err); err != nil {
			return err
		}
		info += text + "\n"
	}
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(infoField(info, name), 10, 64)
		return n
	}
	h.Version, h.Role = infoField(info, "redis_version"), infoField(info, "role")
	h.AOF = infoField(info, "aof_enabled") == "1"
	h.Memory, h.MaxMemory, h.Policy = number("used_memory"), number("maxmemory"), infoField(info, "maxmemory_policy")
	for _, name := range []string{"aof_last_write_status", "aof_last_bgrewrite_status", "rdb_last_bgsave_status"} {
		if status := infoField(info, name); status != "" && status != "ok" {
			h.SaveErrors = append(h.SaveErrors, name)
		}
	}
	return nil
}

func (h *Health) readConfig(c redis.Conn) error {
	for name, use := range map[string]func(string){
		"appendfsync": func(v string) { h.Fsync = v },
		"timeout": func(v string) {
			n, _ := strconv.Atoi(v)
			h.Timeout = time.Duration(n) * time.Second
		},
	} {
		found, err := redis.StringMap(c.Do("CONFIG", "GET", name))
		if err := h.unseen("CONFIG GET "+name, err); err != nil {
			return err
		}
		use(found[name])
	}
	return nil
}

// readRights asks what the user may call. Before Redis 7 that cannot be asked.
func (h *Health) readRights(c redis.Conn, prefix string) error {
	who, err := redis.String(c.Do("ACL", "WHOAMI"))
	if err != nil {
		return h.unseen("ACL WHOAMI", err)
	}
	for _, command := range needed(prefix) {
		verdict, err := redis.String(c.Do("ACL", append([]any{"DRYRUN", who}, command...)...))
		if err != nil {
			return h.unseen("ACL DRYRUN", err)
		}
		if verdict != "OK" {
			h.Refused = append(h.Refused, command[0].(string))
		}
	}
	return nil
}

// Proof is what only this installation answers to a question: a digest of both. Empty: no installation is known yet.
func (s *Store) Proof(question string) string {
	id, _ := s.installation.Load().(string)
	if id == "" {
		return ""
	}
	mac := hmac.New(sha256.New, []byte(id))
	mac.Write([]byte(question))
	return hex.EncodeToString(mac.Sum(nil))
}
