package feed

// Listed is a source as a list of sources, such as an OPML file, names it. In Source, Feeds nil and Publish empty mean
// that the list says nothing of them; About has title and link where the list has them.
type Listed struct {
	Source  Source
	Problem string // why it cannot be added, for a person; empty: nothing is known against it
}
