package core

import (
	"context"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"
)

// installationField of the hash of cursors names the installation that they belong to.
const installationField = "installation"

// nodeCheck remembers since when each shard is known to have an outbox.
type nodeCheck struct {
	mu    sync.Mutex
	since map[int]time.Time
}

// failoverLoss is longer than the time whose writes a failover may lose.
const failoverLoss = time.Minute

// lost records which shards have an outbox, and reports whether one has lost it.
func (n *nodeCheck) lost(now time.Time, exists []int) (lost bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.since == nil {
		n.since = make(map[int]time.Time)
	}
	for shard, count := range exists {
		since, seen := n.since[shard]
		switch {
		case count > 0 && !seen:
			n.since[shard] = now
		case count == 0 && seen && now.Sub(since) > failoverLoss:
			lost = true
		}
	}
	return lost
}

// checkNodes returns the installation that was found at the desk, or nil if another node has lost all its keys, as one that
// does not persist them does at a restart: the hub must hold the mark of the installation, and a shard that has ever signalled
// must have an outbox. For a daemon that starts, and has no known installation, lost keys begin anew.
func (db *DB) checkNodes(ctx context.Context, known string, installation any) (any, error) {
	if !db.sharded() {
		return installation, nil
	}
	replies, err := db.Pipeline(ctx, "check", func(b *Batch) {
		if known == "" {
			b.Add("HSET", db.cursors(), installationField, installation)
		}
		for _, k := range db.shards {
			b.Add("EXISTS", k.Outbox())
		}
		b.Add("HGET", db.cursors(), installationField)
	})
	if err != nil {
		return nil, err
	}
	replies = replies[len(replies)-1-shardCount:]
	exists, err := redis.Ints(replies[:shardCount], nil)
	if err != nil {
		return nil, err
	}
	lost := db.nodes.lost(db.opts.Now(), exists)
	if mark, _ := redis.String(replies[shardCount], nil); known != "" && (lost || mark != known) {
		return nil, nil
	}
	return installation, nil
}
