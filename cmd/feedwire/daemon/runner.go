package daemon

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// runner runs the parts of the daemon until the context ends or one of them fails.
type runner struct {
	group *errgroup.Group
	ctx   context.Context // of the parts
}

func newRunner(ctx context.Context) *runner {
	group, ctx := errgroup.WithContext(ctx)
	return &runner{group, ctx}
}

// Add starts a part. run must return when its context ends.
func (r *runner) Add(name string, run func(context.Context) error) {
	r.group.Go(func() error {
		if err := run(r.ctx); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
}

// Wait returns the first error after all parts have ended.
func (r *runner) Wait() error { return r.group.Wait() }
