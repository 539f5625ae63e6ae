package article

import (
	"context"

	"github.com/feedwire/feedwire/store/core"
	"github.com/feedwire/feedwire/store/feed"
)

var visitFields = core.FieldsOf[feed.Visit]()

// AddVisits stores visits of an outgoing feed, oldest first. A repeated call stores them twice; no counter depends on them.
func (s *Store) AddVisits(ctx context.Context, typ string, visits []feed.Visit) error {
	_, err := s.db.Pipeline(ctx, feedGroup, func(b *core.Batch) {
		for _, v := range visits {
			b.Add("XADD", s.keys.visits(typ), "MAXLEN", "~", feed.MaxVisits, "*",
				"time", core.Stamp(v.Time), "client", v.Client, "status", v.Status, "counted", core.Bit(v.Counted))
		}
	})
	return core.Wrap(err, "store visits of %s", typ)
}

// QueryVisits adds the command that reads up to limit visits of an outgoing feed.
func (s *Store) QueryVisits(b *core.Batch, typ string, limit int) {
	b.Add("XREVRANGE", s.keys.visits(typ), "+", "-", "COUNT", limit)
}

// ReadVisits takes the reply to the command of QueryVisits. The newest visit is first.
func (s *Store) ReadVisits(r *core.Replies) (all []feed.Visit) {
	for _, record := range r.Records() {
		var v feed.Visit
		visitFields.Read(record.Fields, &v)
		all = append(all, v)
	}
	return all
}
