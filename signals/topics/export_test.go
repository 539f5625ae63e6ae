package topics

import (
	"context"

	"github.com/feedwire/feedwire/store/feed"
)

// CheckOpen checks an open topic that is claimed.
func (c *Catalog) CheckOpen(ctx context.Context, t feed.OpenTopic) { c.checkOpen(ctx, t) }
