package search

// Signal returns the id of the last signal that is in the index.
func (x *Index) Signal() string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.state.Signal
}
