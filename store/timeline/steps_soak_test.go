//go:build soak

package timeline_test

// How many steps the model takes on each engine, and how often each race runs.
const (
	modelSteps = 100_000
	raceRuns   = 3000
)
