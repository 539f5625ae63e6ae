package delivery

import "github.com/feedwire/feedwire/signals/retry"

// Wake makes the engine check for work after a test has moved the clock.
func (e *Engine) Wake() {
	retry.Wake(e.planning)
	retry.Wake(e.delivering)
}
