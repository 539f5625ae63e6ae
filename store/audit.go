package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/feed"
)

// maxAudit bounds the audit log, whatever it is kept for.
const maxAudit = 200_000

// AddAudit writes to the audit log, and what was done with an article to that article as well. The entries get their IDs
// there.
func (s *Store) AddAudit(ctx context.Context, entries ...feed.AuditEntry) error {
	_, err := s.pipeline(ctx, "xadd", func(b *batch) {
		for i := range entries {
			e := &entries[i]
			b.add("XADD", s.keys.audit(), "MAXLEN", "~", maxAudit, "*", "time", stamp(e.Time), "who", e.Who, "action", e.Action,
				"on", e.On, "before", e.Before, "after", e.After, "from", e.From)
			if uuid, _, _ := strings.Cut(e.On, " "); strings.HasPrefix(e.Action, "article_") && len(uuid) == uuidLen {
				line, _ := json.Marshal(e) // strings and a time always encode
				b.add("LPUSH", s.keys.deeds(uuid), line)
				b.add("LTRIM", s.keys.deeds(uuid), 0, feed.DeedsKept-1)
			}
		}
	})
	if err != nil {
		return fmt.Errorf("audit %s: %w", entries[0].Action, err)
	}
	return nil
}

const uuidLen = 36

// Audit is up to limit entries of the audit log before the one with the id before ("" for the newest), newest first.
func (s *Store) Audit(ctx context.Context, before string, limit int) ([]feed.AuditEntry, error) {
	from := "+"
	if before != "" {
		from = "(" + before
	}
	reply, err := s.call(ctx, "audit", func(c redis.Conn) (any, error) {
		return c.Do("XREVRANGE", s.keys.audit(), from, "-", "COUNT", limit)
	})
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	records, err := parseRecords(reply)
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	all := make([]feed.AuditEntry, len(records))
	for i, r := range records {
		f := r.fields
		all[i] = feed.AuditEntry{
			ID: r.id, Time: feed.ParseTime(f["time"]), Who: f["who"], Action: f["action"], On: f["on"], Before: f["before"],
			After: f["after"], From: f["from"],
		}
	}
	return all, nil
}

// TrimAudit drops what is older than keep, and tells how much that was.
func (s *Store) TrimAudit(ctx context.Context, keep time.Duration) (int, error) {
	floor := strconv.FormatInt(s.opts.Now().Add(-keep).UnixMilli(), 10) + "-0"
	n, err := redis.Int(s.call(ctx, "trim_audit", func(c redis.Conn) (any, error) {
		return c.Do("XTRIM", s.keys.audit(), "MINID", floor)
	}))
	if err != nil {
		return 0, fmt.Errorf("trim the audit log: %w", err)
	}
	return n, nil
}
