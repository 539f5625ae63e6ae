package hub

import (
	"context"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/feedwire/feedwire/store/core"
)

// AnnounceDaemon announces that a daemon works. It returns the daemons that are silent: they have not announced themselves for that
// time, and not ended with ReleaseDeliveries.
func (s *Store) AnnounceDaemon(ctx context.Context, daemon string, silence time.Duration) (silent []string, err error) {
	silent, err = redis.Strings(s.db.Run(ctx, s.scripts["announce_daemon"], []any{s.keys.daemons()}, []any{daemon, silence.Seconds()}))
	return silent, core.Wrap(err, "announce daemon %s", daemon)
}

// ReleaseDeliveries makes the deliveries due that a daemon has claimed and not finished, and returns how many there were. It is a
// no-op if the daemon has announced itself within the time silence; with 0 it always works.
func (s *Store) ReleaseDeliveries(ctx context.Context, daemon string, silence time.Duration) (int, error) {
	n, err := redis.Int(s.db.Run(ctx, s.scripts["release_deliveries"],
		[]any{s.keys.claims(), s.keys.later(), s.keys.ready(), s.keys.daemons()}, []any{daemon, silence.Seconds()}))
	return n, core.Wrap(err, "release the deliveries of daemon %s", daemon)
}
