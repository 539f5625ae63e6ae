package ingest

import "context"

// For tests of the adaptive interval.
var (
	Adaptive = adaptiveInterval
	Watched  = updateRate
	Seeded   = initialRate
)

// Step polls what is due now, one after another, and returns how many sources that were.
func (in *Ingester) Step(ctx context.Context) int {
	claims := in.claim(ctx, in.opts.Workers)
	for _, claim := range claims {
		in.poll(ctx, ctx, &claim, nil)
	}
	return len(claims)
}
