package feed

// Candidate is a feed that was found behind a URL.
type Candidate struct {
	URL   string    `json:"url"`             // canonical
	Title string    `json:"title,omitempty"` // as the page or the feed has it
	Type  string    `json:"type,omitempty"`  // media type as it was announced; empty: unknown
	Found Discovery `json:"found"`
}

// Discovery is how a feed was found.
type Discovery string

// The ways, in the order in which they are tried.
const (
	FoundKnown  Discovery = "known"  // it is a source already
	FoundItself Discovery = "itself" // the URL is that of a feed
	FoundHeader Discovery = "header" // in a Link header of the page (RFC 8288)
	FoundPage   Discovery = "page"   // in a <link> of the page
	FoundPath   Discovery = "path"   // at a path where many sites have theirs
)
