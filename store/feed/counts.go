package feed

// Counts says how much of each thing there is. States and feeds that hold nothing may be missing from the maps.
type Counts struct {
	Sources  map[SourceState]int      `json:"sources"`
	Articles map[string]map[State]int `json:"articles"` // by outgoing feed
	Entries  int                      `json:"entries"`
	Signals  int                      `json:"signals"` // kept in the outbox, for replay
}
