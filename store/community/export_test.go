package community

import "github.com/feedwire/feedwire/store/feed"

// DecodeComment decodes a field of a thread.
func DecodeComment(field, text string, user int64) (feed.Comment, bool) {
	return commentFrom(field, decode(text), user, false)
}

// Decoded returns how many comments the store holds decoded.
func (s *Store) Decoded() int {
	n := 0
	for _, thread := range s.decoded.threads {
		n += len(thread)
	}
	return n
}
