package feed

// Candidate is a feed that discovery found.
type Candidate struct {
	URL   string    `json:"url"`             // canonical
	Title string    `json:"title,omitempty"` // from the page or the feed
	Type  string    `json:"type,omitempty"`  // announced media type; empty: unknown
	Found Discovery `json:"found"`
}

// Discovery is how a feed was found.
type Discovery string

// Ways of discovery, in order.
const (
	FoundKnown  Discovery = "known"  // it is already a source
	FoundItself Discovery = "itself" // the URL is a feed
	FoundHeader Discovery = "header" // in a Link header of the page (RFC 8288)
	FoundPage   Discovery = "page"   // in a <link> of the page
	FoundPath   Discovery = "path"   // at a common path
)
