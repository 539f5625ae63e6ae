package limits

// Use returns the memory in use.
func (l *Limits) Use() int64 { return l.memory.use() }

// Open returns the number of connections that count.
func (l *Limits) Open() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open
}
