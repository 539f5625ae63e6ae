package daemon

import (
	"context"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/setup"
	"github.com/feedwire/feedwire/signals/retry"
)

const (
	takedownsEvery = time.Second     // how often the daemon looks for takedowns by other daemons
	othersEvery    = 5 * time.Second // how often it looks for other daemons
)

// takedown runs take, which removes an entry with its article, and drops copies of feeds from before.
func (a *app) takedown(take func() error) error {
	err := a.publisher.Takedown(take)
	a.forgetCopies()
	retry.Wake(a.takenDown)
	return err
}

// forgetCopies drops the copies of responses that may show an entry that was taken down.
func (a *app) forgetCopies() {
	a.republish.Forget()
	a.kit.DropAllCopies()
}

// followTakedowns drops copies of feeds after each takedown, by this daemon or another, and distributes the lists without the entry, until
// ctx ends. Requests would notice that the
// copies are old, but only while the store is available.
func (a *app) followTakedowns(ctx context.Context) error {
	for known := 0; retry.Await(ctx, a.takenDown, takedownsEvery); {
		n, err := a.store.Articles.Removals(ctx)
		if err != nil || n == known {
			continue // without the store, requests fail as well, and are logged
		}
		known = n
		a.forgetCopies()
		a.publisher.Refresh(ctx)
		a.engine.CheckLists()
	}
	return nil
}

// followDaemons stores copies of feeds on disk only while no other daemon works on the store, until ctx ends. Another daemon may take
// an entry down while this one is stopped.
func (a *app) followDaemons(ctx context.Context) error {
	own := setup.DaemonID(a.cfg())
	for {
		if others, err := a.store.Ops.OtherDaemons(ctx, own); err == nil {
			a.publisher.KeepCopies(!others)
		}
		if !retry.Await(ctx, nil, othersEvery) {
			return nil
		}
	}
}
