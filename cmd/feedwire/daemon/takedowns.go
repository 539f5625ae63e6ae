package daemon

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/signals/retry"
)

// takedownsEvery is how often the daemon looks for takedowns by other daemons.
const takedownsEvery = time.Second

// followTakedowns drops copies of feeds after each takedown, by this daemon or another, until ctx ends. Requests would notice that the
// copies are old, but only while the store is available.
func (a *app) followTakedowns(ctx context.Context) error {
	for known := 0; retry.Await(ctx, a.takenDown, takedownsEvery); {
		n, err := a.store.Articles.Removals(ctx)
		if err != nil || n == known {
			continue // without the store, requests fail as well, and are logged
		}
		known = n
		a.republish.Forget()
		a.publisher.Refresh(ctx)
	}
	return nil
}
