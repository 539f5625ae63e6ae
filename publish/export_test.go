package publish

// Idle reports whether no fetch of a feed waits to be recorded.
func (p *Publisher) Idle(typ string) bool {
	r := p.outlet(typ).recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reserved == 0
}

// Running reports whether the recorder of a feed runs.
func (p *Publisher) Running(typ string) bool {
	r := p.outlet(typ).recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running
}

// Watched reports whether the connection of every response that an outgoing feed has begun is watched for its arrival.
func (p *Publisher) Watched(typ string) bool {
	r := p.outlet(typ).recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	for f := range r.pending {
		if f.conn == nil {
			return false
		}
	}
	return true
}
