package store

import (
	"slices"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// fewAtOnce is how many entries of a document may change together before it is asked whether the source has changed, and
// not they.
const fewAtOnce = 5

// hold decides which entries get no signal of their own. Newest is the date of the newest entry known before.
//
//   - Of a first document the newest few are news; the rest is its past.
//   - Where half of the known entries and more have changed, the source has a new template, or another address.
//   - Where half of the document and more is new, the source has brought back old posts, or has other guids: what came
//     out before the newest that was known is no news.
func hold(src *feed.Source, doc *feed.Document, all []recognised, firstSignals int, newest time.Time) {
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
		case feed.VerdictExpired:
		}
	}
	first := !doc.Partial && src.Poll.LastDocument.IsZero()
	if doc.Partial {
		known = max(known, src.Poll.Entries) // of which it holds the changed ones only
	}
	restyled := changed >= fewAtOnce && 2*changed >= known
	refilled := !doc.Partial && src.Poll.Entries >= fewAtOnce && 2*fresh >= len(all)
	for i := range all {
		switch r := &all[i]; {
		case r.verdict == feed.VerdictChanged:
			r.held = restyled
		case r.verdict != feed.VerdictNew || r.revived: // that one is news by its date
		case first:
			r.held = i < len(all)-firstSignals
		case refilled:
			day := dayOf(&doc.Entries[i])
			r.held = !day.IsZero() && day.Before(newest)
		}
	}
}

// newestKnown is the date of the newest entry of a document that was known before it; zero: none has a date.
func newestKnown(doc *feed.Document, all []recognised) (newest time.Time) {
	for i := range all {
		if day := dayOf(&doc.Entries[i]); all[i].id != "" && day.After(newest) {
			newest = day
		}
	}
	return newest
}

// anyNew reports whether an entry is new.
func anyNew(all []recognised) bool {
	return slices.ContainsFunc(all, func(r recognised) bool { return r.verdict == feed.VerdictNew })
}
