package ingest

import "github.com/feedwire/feedwire/store/feed"

// sift leaves out of a document the entries that the source's filters do not take, and counts them. Those that were
// stored before and are left out now stay as they are: nothing is ever deleted for not being in a document.
func sift(doc *feed.Document, filters feed.Filters) (filtered int, err error) {
	if filters.IsZero() {
		return 0, nil
	}
	sieve, err := filters.Compile()
	if err != nil {
		return 0, err
	}
	taken := make([]feed.Entry, 0, len(doc.Entries))
	for i := range doc.Entries {
		if kept, _ := sieve.Keeps(&doc.Entries[i]); kept {
			taken = append(taken, doc.Entries[i])
		}
	}
	filtered = len(doc.Entries) - len(taken)
	doc.Entries = taken
	return filtered, nil
}
