package ops

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/core"
)

// OtherDaemons reports whether a daemon with another id has worked on the store in the last seconds.
func (s *Store) OtherDaemons(ctx context.Context, own string) (bool, error) {
	daemons, err := s.lastReads(ctx)
	for name, idle := range daemons {
		if name != own && idle < quiet {
			return true, nil
		}
	}
	return false, err
}

// lastReads returns by daemon how long ago it has read signals.
func (s *Store) lastReads(ctx context.Context) (map[string]time.Duration, error) {
	groups, err := core.Infos(s.db.Do(ctx, group, "XINFO", "GROUPS", s.db.Signals()))
	if err != nil && strings.Contains(err.Error(), "no such key") {
		return nil, nil
	}
	all := make(map[string]time.Duration)
	for _, g := range groups {
		consumers, e := core.Infos(s.db.Do(ctx, group, "XINFO", "CONSUMERS", s.db.Signals(), g["name"]))
		err = cmp.Or(err, e)
		for _, c := range consumers {
			idle, e := time.ParseDuration(c["idle"] + "ms")
			if err = cmp.Or(err, e); e == nil {
				all[c["name"]] = idle
			}
		}
	}
	return all, core.Wrap(err, "look for daemons")
}
