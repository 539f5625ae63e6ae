package feed

// ListedSource is a source in a list of sources, such as an OPML file. If Feeds is nil or Publish is empty, the list does
// not specify them.
type ListedSource struct {
	Source  Source
	Problem string // why it cannot be added; empty: none
}
