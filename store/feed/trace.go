package feed

// Trace is one poll told step by step, for a person who wants to know why a source is as it is. It holds no secrets.
type Trace struct {
	Source   string         `json:"source"`
	Asked    string         `json:"asked"`              // URL of the first request
	Why      string         `json:"why"`                // conditional or in full, and why
	Requests []TraceRequest `json:"requests"`           // one for each redirect more
	Bytes    int            `json:"bytes"`              // of the document, decompressed
	Document string         `json:"document,omitempty"` // what the parser made of it, or why nothing
	Found    []Candidate    `json:"found,omitempty"`    // feeds that the document names, where it is a page instead of one
	Entries  []TraceEntry   `json:"entries,omitempty"`  // at most TraceEntries, newest first
	More     int            `json:"more,omitempty"`     // entries beyond those
	After    *Source        `json:"after,omitempty"`    // as the poll left it: state, next poll and the reason for it
	Took     int64          `json:"ms"`
}

// TraceEntries is how many entries of a document a trace tells of.
const TraceEntries = 50

// TraceRequest is one request and its answer.
type TraceRequest struct {
	URL       string            `json:"url"`
	Proxy     string            `json:"proxy,omitempty"`
	Addresses []TraceAddress    `json:"addresses,omitempty"` // in the order in which they were tried
	Reused    bool              `json:"reused,omitempty"`    // an open connection served
	TLS       string            `json:"tls,omitempty"`
	Sent      map[string]string `json:"sent"`
	Unsent    bool              `json:"unsent,omitempty"` // it failed before anything was sent
	Status    string            `json:"status,omitempty"`
	Got       map[string]string `json:"got,omitempty"`
	Encoding  string            `json:"encoding,omitempty"` // of the body on the wire
	FirstByte int64             `json:"first_byte_ms,omitempty"`
	Error     string            `json:"error,omitempty"`
}

// TraceAddress is one address of a host and what became of it.
type TraceAddress struct {
	Address string `json:"address"`
	Verdict string `json:"verdict"` // "connected", or why not
}

// TraceEntry is one entry of the document beside what is stored.
type TraceEntry struct {
	GUID    string  `json:"guid"`
	Title   string  `json:"title,omitempty"`
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why"`
}

// Verdict is what becomes of an entry that is saved.
type Verdict string

// The verdicts.
const (
	VerdictNew     Verdict = "new"
	VerdictChanged Verdict = "changed"
	VerdictSame    Verdict = "same"
	VerdictExpired Verdict = "expired" // before; not created again while the source lists it
)

// Comparison is a verdict with what it rests on.
type Comparison struct {
	Verdict Verdict
	Changed []string // names of fields, where it is changed
	KnownBy Sameness // how it was recognised, where its guid is not the one stored
	Held    bool     // it gets no signal of its own
}

// Sameness is why an entry with another guid is taken for one that is known.
type Sameness string

// The reasons, from the strongest.
const (
	SameAlias Sameness = "alias" // the guid is another spelling of one that is known
	SameLink  Sameness = "link"  // the same link, and the same day or title
	SameTitle Sameness = "title" // the same title and day as an entry that has left the document
)
