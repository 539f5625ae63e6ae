package ingest

import "github.com/feedwire/feedwire/store/feed"

// filterEntries removes the entries from a document that the source's filters reject, and returns their number. It has no
// effect on stored entries.
func filterEntries(doc *feed.Document, filters feed.Filters) (filtered int, err error) {
	if filters.IsZero() {
		return 0, nil
	}
	compiled, err := filters.Compile()
	if err != nil {
		return 0, err
	}
	taken := make([]feed.Entry, 0, len(doc.Entries))
	for i := range doc.Entries {
		if kept, _ := compiled.Match(&doc.Entries[i]); kept {
			taken = append(taken, doc.Entries[i])
		}
	}
	filtered = len(doc.Entries) - len(taken)
	doc.Entries = taken
	return filtered, nil
}
