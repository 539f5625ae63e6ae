package ingest

import (
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// generation counts the changes of parsing and translating that make other entries of the same document. Raise it with
// such a change: every source is then fetched in full once.
const generation = 1

// When a document is asked for without validators although there are some.
const (
	fullEvery = 24 * time.Hour      // at most so often
	silence   = 14 * 24 * time.Hour // of 304 and nothing else: some servers answer so for ever
)

// wantsFull reports whether the document itself is wanted, changed or not.
func wantsFull(p *feed.PollState, now time.Time) bool {
	if p.FullRequested || now.Sub(p.LastFull) < fullEvery {
		return p.FullRequested
	}
	silent := now.Sub(p.LastDocument) >= silence && now.Sub(p.LastFull) >= silence
	return p.Generation != generation || silent
}
