package community

import "github.com/feedwire/feedwire/store/feed"

// DecodeComment decodes a field of a thread.
func DecodeComment(field, text string, user int64) (feed.Comment, bool) {
	d := decode(field, text)
	return d.as(user, false), d.id != 0
}

// DecodedThreads returns how many comments of threads the store holds.
func (s *Store) DecodedThreads() int {
	n := 0
	for _, held := range s.threads.threads {
		n += len(held.comments)
	}
	return n
}
