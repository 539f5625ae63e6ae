package hub

// Wake makes the engine look at once: a test has moved the clock.
func (e *Engine) Wake() {
	wake(e.planning)
	wake(e.delivering)
}
