package hub

import (
	"context"
	"embed"
	"sync"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
)

//go:embed scripts
var scriptFiles embed.FS

// group counts the commands of this package in metrics.
const group = "hub"

// Store stores requests, subscriptions and deliveries. It is safe for concurrent use. Errors other than those named on a method are
// a *core.Error.
type Store struct {
	*shared
	topics *Topics
	urls   sync.Map // URL of a topic by its id: an id never means another URL
}

// Topics stores what is known of topics, and the open ones. It is safe for concurrent use. Errors other than those named on a method
// are a *core.Error.
type Topics struct{ *shared }

// shared is what both types need.
type shared struct {
	db      *core.DB
	keys    keys
	scripts core.Scripts
}

// New returns the store of the hub and that of its topics. It does not connect.
func New(db *core.DB) (*Store, *Topics) {
	s := &shared{db: db, keys: keys{db.Hub()}}
	s.scripts = db.AddNoun(group, scriptFiles, core.Families{core.AtHub: {
		"hub:cursor", "hub:ahead", "hub:requests", "hub:verify", "hub:asking:<id>", "hub:subscriptions", "hub:leases", "hub:hosts:<host>",
		"hub:health", "hub:paused", "hub:idle", "hub:attempts", "hub:replays",
		"hub:readers", "hub:topics", "hub:filters", "hub:topic:<topic>", "hub:topic:<topic>:subs", "hub:topic:<topic>:pings",
		"hub:topic:<topic>:versions", "hub:topic:<topic>:days",
		"hub:body:<topic>:<n>", "hub:document:<topic>", "hub:planning", "hub:ready", "hub:later", "hub:claims", "hub:daemons", "hub:urls",
		"hub:dead", "hub:open", "hub:open:due", "hub:open:checks", "hub:open:bytes", "hub:open:clients", "hub:open:subscriptions",
	}})
	s.scripts.Once("claim_deliveries", "claim_open_topics")
	topics := &Topics{s}
	return &Store{shared: s, topics: topics}, topics
}

// fields returns fields of a hash; "" for a field that does not exist.
func (s *shared) fields(ctx context.Context, key string, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	return redis.Strings(s.db.Do(ctx, group, "HMGET", arguments(key, names)...))
}

// arguments returns the arguments of a command for a key and some of its members.
func arguments(key string, members []string) []any {
	all := []any{key}
	for _, m := range members {
		all = append(all, m)
	}
	return all
}
