package republish

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/feedwire/feedwire/publish/feedxml"
	"github.com/feedwire/feedwire/store/feed"
)

// fragment is an encoded entry.
type fragment struct {
	key      fragmentKey
	encoded  []byte
	ids      feedxml.IDs
	modified time.Time
	bytes    int // of its text, original or cleaned, whichever is longer
}

// fragmentKey is a checksum of everything that a fragment depends on.
type fragmentKey [sha256.Size]byte

// fragments returns the first entries of a feed, at least one and as many as fit, and when they last changed. It reuses those of the last
// document.
func (s *Server) fragments(w feedxml.Writer, c *contents, last *rendered) (all []fragment, changed time.Time, err error) {
	seen := make(map[string]bool)
	room := s.opts.Bytes
	for i := range c.entries {
		e := &c.entries[i]
		if len(e.Content)+len(e.Summary) > room && len(all) > 0 {
			break // before the entry is cleaned, which takes time
		}
		key := keyOf(e, c)
		var f fragment
		known := false
		if last != nil {
			f, known = last.fragments[key]
		}
		if !known {
			if f, err = s.encode(w, e, c); err != nil {
				return nil, changed, fmt.Errorf("encode %s: %w", e.ID, err)
			}
			f.key = key
		}
		if seen[f.ids.RSS] || seen[f.ids.Atom] {
			continue // guids that differ only in characters that XML does not allow, or two sources have the same entry
		}
		seen[f.ids.RSS], seen[f.ids.Atom] = true, true
		room -= f.bytes
		all = append(all, f)
		if f.modified.After(changed) {
			changed = f.modified
		}
	}
	return all, changed, nil
}

func (s *Server) encode(w feedxml.Writer, e *feed.Entry, c *contents) (fragment, error) {
	source := c.sourceOf(e)
	out := s.entryOf(e, source)
	if c.source == nil {
		s.nameSource(out, source)
	}
	encoded, err := w.Entry(out)
	s.metrics.entries.Inc()
	size := max(len(out.Content)+len(out.Summary), len(e.Content)+len(e.Summary))
	return fragment{encoded: encoded, ids: out.IDs, modified: out.Modified, bytes: size}, err
}

// keyOf returns a checksum of an entry and of what its fragment shows of the source. Unlike Entry.Digest it covers every
// byte.
func keyOf(e *feed.Entry, c *contents) (key fragmentKey) {
	sum, source := sha256.New(), c.sourceOf(e)
	texts := append([]string{
		source.URL, source.About.Link, e.ID, e.GUID, e.Link, e.Title, e.Summary, e.Content,
		e.Published.String(), e.Updated.String(), e.Timestamp.String(),
	}, e.Authors...)
	if c.source == nil {
		texts = append(texts, source.About.Title)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Extra)) {
		texts = append(texts, name, e.Extra[name])
	}
	for _, text := range texts {
		fmt.Fprintf(sum, "%d:", len(text))
		sum.Write([]byte(text))
	}
	sum.Sum(key[:0])
	return key
}
