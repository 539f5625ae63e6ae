package ops

// KeyPatterns are the patterns of all keys.
func (s *Store) KeyPatterns() []string { return s.db.Patterns() }
