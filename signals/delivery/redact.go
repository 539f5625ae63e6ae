package delivery

import (
	"context"

	"github.com/feedwire/feedwire/store/feed"
)

// redact removes the posts that were taken down, as news reports, from the versions of topics that are stored for subscribers who have
// not accepted them yet. It reports false if ctx has ended.
func (d *distributor) redact(ctx context.Context, news News, targets []target) bool {
	for i := range news.Signals {
		s := &news.Signals[i]
		if !isTakedown(*s) {
			continue
		}
		for _, t := range targets {
			if t.outlet.Redact != nil && !d.redactTopic(ctx, t, s) {
				return false
			}
		}
	}
	return true
}

func isTakedown(s feed.Signal) bool { return s.Kind == feed.PostDeleted }

func (d *distributor) redactTopic(ctx context.Context, t target, deleted *feed.Signal) bool {
	for before := int64(0); ; {
		next, ok := patiently(ctx, d.Engine, "a takedown does not reach prepared deliveries", func(ctx context.Context) (int64, error) {
			return d.store.RedactVersions(ctx, t.topic, deleted.Entry, before, func(body []byte) ([]byte, error) {
				redacted, err := t.outlet.Redact(body, deleted)
				if err != nil {
					d.opts.Logger.Error("a version with an entry that was taken down is deleted", "feed", t.topic, "entry", deleted.Entry, "err", err)
				}
				return redacted, err
			})
		})
		if !ok || next == 0 {
			return ok
		}
		before = next
	}
}
