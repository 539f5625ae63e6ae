package pace

// Keys returns the number of keys.
func (p *Pacer) Keys() int { return len(p.idle) }
