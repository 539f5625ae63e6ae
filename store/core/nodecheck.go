package core

import (
	"context"
	"sync"
	"time"
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

// lost records which shards have an outbox and reports whether one has lost it. It decodes the replies of
// EXISTS for all outboxes.
func (n *nodeCheck) lost(now time.Time, r *Replies) (lost bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.since == nil {
		n.since = make(map[int]time.Time)
	}
	for shard := range shardCount {
		since, seen := n.since[shard]
		switch exists := r.Count() == 1; {
		case exists && !seen:
			n.since[shard] = now
		case !exists && seen && now.Sub(since) > failoverLoss:
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
	r, err := db.Pipeline(ctx, "check", func(b *Batch) {
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
	r = r[len(r)-1-shardCount:]
	lost := db.nodes.lost(db.Now(), &r)
	if mark := r.Text(); known != "" && (lost || mark != known) {
		return nil, nil
	}
	return installation, nil
}
