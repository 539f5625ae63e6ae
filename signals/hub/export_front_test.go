package hub

import (
	"context"
	"time"
)

// Turn starts what is due now, waits until it is done, and says how long there will be nothing else.
func (f *Front) Turn(ctx context.Context) (time.Duration, error) {
	rest, err := f.turn(ctx)
	f.work.Wait()
	return rest, err
}
