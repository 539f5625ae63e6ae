package entry

import (
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// fewAtOnce is how many entries of a document may change together before the source, not each entry, counts as changed.
const fewAtOnce = 5

// markUnsignalled decides which entries get no signal of their own. newest is the date of the newest entry that was known before.
//
//   - Of a first document only the newest entries are news.
//   - If half of the known entries or more changed, the source has a new template or another address.
//   - If half of the document or more is new, the source lists old posts again or has other guids: entries older than newest are
//     not news.
func markUnsignalled(src *feed.Source, doc *feed.Document, all []match, firstSignals int, newest time.Time) {
	known, changed, fresh := 0, 0, 0
	for i := range all {
		switch all[i].verdict {
		case feed.VerdictNew:
			fresh++
		case feed.VerdictChanged:
			changed++
			known++
		case feed.VerdictSame:
			known++
		case feed.VerdictExpired, feed.VerdictTakenDown:
		}
	}
	first := !doc.Partial && src.Poll.LastDocument.IsZero()
	if doc.Partial { // it lists only changed entries
		known = max(known, src.Poll.Entries)
	}
	restyled := changed >= fewAtOnce && 2*changed >= known
	refilled := !doc.Partial && src.Poll.Entries >= fewAtOnce && 2*fresh >= len(all)
	for i := range all {
		switch m := &all[i]; {
		case m.verdict == feed.VerdictChanged:
			m.unsignalled = restyled
		case m.verdict != feed.VerdictNew || m.revived: // a revived entry is news by its date
		case first:
			m.unsignalled = i < len(all)-firstSignals
		case refilled:
			day := dayOf(&doc.Entries[i])
			m.unsignalled = !day.IsZero() && day.Before(newest)
		}
	}
}

// newestKnown returns the date of the newest entry of a document that was stored before, or zero if no entry has a date.
func newestKnown(doc *feed.Document, all []match) (newest time.Time) {
	for i := range all {
		if day := dayOf(&doc.Entries[i]); all[i].id != "" && day.After(newest) {
			newest = day
		}
	}
	return newest
}
