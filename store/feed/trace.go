package feed

// Trace describes one poll step by step. It contains no secrets.
type Trace struct {
	Source     string         `json:"source"`
	URL        string         `json:"asked"`              // URL of the first request
	Why        string         `json:"why"`                // why the request is conditional or not
	Requests   []TraceRequest `json:"requests"`           // one more for each redirect
	Bytes      int            `json:"bytes"`              // of the document, decompressed
	Document   string         `json:"document,omitempty"` // format, or why it was not parsed
	Found      []Candidate    `json:"found,omitempty"`    // feeds that the document links to if it is a page
	Entries    []TraceEntry   `json:"entries,omitempty"`  // up to TraceEntries, newest first
	More       int            `json:"more,omitempty"`     // further entries
	After      *Source        `json:"after,omitempty"`    // the source after the poll
	DurationMS int64          `json:"ms"`
}

// TraceEntries bounds the entries of a trace.
const TraceEntries = 50

// TraceRequest is one request and its response.
type TraceRequest struct {
	URL       string            `json:"url"`
	Proxy     string            `json:"proxy,omitempty"`
	Addresses []TraceAddress    `json:"addresses,omitempty"` // in the order of attempts
	Reused    bool              `json:"reused,omitempty"`    // an idle connection was reused
	TLS       string            `json:"tls,omitempty"`
	Sent      map[string]string `json:"sent"`
	Unsent    bool              `json:"unsent,omitempty"` // it failed before it was sent
	Status    string            `json:"status,omitempty"`
	Got       map[string]string `json:"got,omitempty"`
	Encoding  string            `json:"encoding,omitempty"` // Content-Encoding
	FirstByte int64             `json:"first_byte_ms,omitempty"`
	Error     string            `json:"error,omitempty"`
}

// TraceAddress is one address of a host and the result of dialling it.
type TraceAddress struct {
	Address string `json:"address"`
	Verdict string `json:"verdict"` // "connected", or the error
}

// TraceEntry compares one entry of the document with the stored one.
type TraceEntry struct {
	GUID    string  `json:"guid"`
	Title   string  `json:"title,omitempty"`
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why"`
}

// Verdict is the effect of saving an entry.
type Verdict string

// Verdicts.
const (
	VerdictNew       Verdict = "new"
	VerdictChanged   Verdict = "changed"
	VerdictSame      Verdict = "same"
	VerdictTakenDown Verdict = "taken down" // a person took it down, and it is not created again while the source lists it
	VerdictExpired   Verdict = "expired"    // it expired before and is not created again while the source lists it
)

// Comparison is a verdict with its reasons.
type Comparison struct {
	Verdict     Verdict
	Changed     []string    // names of changed fields
	MatchedBy   MatchReason // why it matches an entry with another guid
	Unsignalled bool        // without a signal of its own
}

// MatchReason is why an entry matches a stored entry with another guid.
type MatchReason string

// Reasons, strongest first.
const (
	MatchAlias MatchReason = "alias" // another spelling of the same guid
	MatchLink  MatchReason = "link"  // the same link, and the same day or title
	MatchTitle MatchReason = "title" // the same title and day as an entry that has left the document
)
