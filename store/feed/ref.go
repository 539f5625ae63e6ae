package feed

// EntryRef names an entry for a lookup that reads one key: the source says where the entry is.
type EntryRef struct {
	FeedURL string
	ID      string // "Entry:5"
}
