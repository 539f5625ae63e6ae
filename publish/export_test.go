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

// Left reports whether the client of every response that an outgoing feed has begun is known to have closed its connection.
func (p *Publisher) Left(typ string) bool {
	r := p.outlet(typ).recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	for f := range r.pending {
		if f.conn == nil || !f.conn.Ended() {
			return false
		}
	}
	return true
}
