package delivery

// Wake makes the engine check for work after a test has moved the clock.
func (e *Engine) Wake() {
	wake(e.planning)
	wake(e.delivering)
}
