package timeline

import (
	"strconv"
	"sync/atomic"

	"github.com/feedwire/feedwire/store/feed"
)

// hints remember of which sources entries are, so that a page can read the follows of these sources in the exchange that reads the
// entries. A hint may be missing or wrong: then the page takes one exchange more. The zero value is ready for use.
type hints [16_384]atomic.Pointer[hint]

type hint struct {
	number  uint64 // of the entry
	feedURL string
}

// at returns the place of the hint about an entry, which entries with other numbers share.
func (h *hints) at(number string) (n uint64, at *atomic.Pointer[hint]) {
	n, _ = strconv.ParseUint(number, 10, 64) // members of a timeline are numbers
	return n, &h[n%uint64(len(h))]
}

// sourcesOf returns the likely sources of the entries in some places.
func (h *hints) sourcesOf(places []feed.Cursor) *visibility {
	likely := new(visibility)
	for _, p := range places {
		n, at := h.at(p.Member)
		if known := at.Load(); known != nil && known.number == n {
			likely.add(known.feedURL)
		}
	}
	return likely
}

// remember stores of which source an entry is.
func (h *hints) remember(e *feed.Entry) {
	n, at := h.at(e.Number())
	if known := at.Load(); known == nil || known.number != n || known.feedURL != e.FeedURL {
		at.Store(&hint{n, e.FeedURL})
	}
}
