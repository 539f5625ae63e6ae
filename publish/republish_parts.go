package publish

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// part is an entry as it stands in a feed of its source.
type part struct {
	encoded  []byte
	ids      ids
	modified time.Time
	bytes    int // of its text, as it came or cleaned, whichever is more
}

// partKey names all that a part depends on, by a sum of it.
type partKey [sha256.Size]byte

// parts are the newest entries of a source, as many as there is room for and at least one, with when they last changed.
// What stood in the last document is taken from there.
func (r *Republisher) parts(source *feed.Source, entries []feed.Entry, of reissue, last *document) (
	keys []partKey, all []part, changed time.Time, err error) {
	seen := make(map[string]bool)
	room := r.opts.Bytes
	for i := range entries {
		e := &entries[i]
		if len(e.Content)+len(e.Summary) > room && len(all) > 0 {
			break // before it is cleaned, which takes time
		}
		key := keyOf(e, source)
		p, known := last.part(key)
		if !known {
			if p, err = r.partOf(e, source, of); err != nil {
				return nil, nil, changed, err
			}
		}
		if seen[p.ids.rss] || seen[p.ids.atom] {
			continue // the ids differ in characters that XML cannot hold
		}
		seen[p.ids.rss], seen[p.ids.atom] = true, true
		room -= p.bytes
		keys, all, changed = append(keys, key), append(all, p), later(changed, p.modified)
	}
	return keys, all, changed, nil
}

func (r *Republisher) partOf(e *feed.Entry, source *feed.Source, of reissue) (part, error) {
	dressed := r.entryOf(e, source, of.id)
	encoded, err := formOf(of.format).item(dressed, &r.profile)
	size := max(len(dressed.content)+len(dressed.summary), len(e.Content)+len(e.Summary))
	r.metrics.entries.Inc()
	return part{encoded, dressed.ids, dressed.modified, size}, err
}

// part is a part of d; nil has none.
func (d *document) part(key partKey) (p part, known bool) {
	if d != nil {
		p, known = d.parts[key]
	}
	return p, known
}

// keep notes what d is made of, as it lies in its body.
func (d *document) keep(keys []partKey, all []part) {
	encoded := make([][]byte, len(all))
	for i, p := range all {
		encoded[i] = p.encoded
	}
	d.parts = make(map[partKey]part, len(all))
	for i, lying := range within(d.plain.body, encoded) {
		all[i].encoded = lying
		d.parts[keys[i]] = all[i]
	}
}

// keyOf sums up an entry to the letter, which its digest does not, and what of its source it depends on.
func keyOf(e *feed.Entry, source *feed.Source) (key partKey) {
	sum := sha256.New()
	for _, text := range append([]string{
		source.URL, source.About.Link, e.ID, e.GUID, e.Link, e.Title, e.Summary, e.Content, e.Extra["categories"], e.Extra["enclosures"],
		e.Published.String(), e.Updated.String(), e.Timestamp.String(),
	}, e.Authors...) {
		fmt.Fprintf(sum, "%d:", len(text))
		sum.Write([]byte(text))
	}
	sum.Sum(key[:0])
	return key
}
