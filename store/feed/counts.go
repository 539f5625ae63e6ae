package feed

// Counts contains the number of stored objects. Zero counts may be missing from the maps.
type Counts struct {
	Sources  map[SourceState]int      `json:"sources"`
	Articles map[string]map[State]int `json:"articles"` // by outgoing feed
	Entries  int                      `json:"entries"`
	Signals  int                      `json:"signals"` // in the outbox
}
