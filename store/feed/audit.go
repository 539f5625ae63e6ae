package feed

import "time"

// AuditEntry is one change by a person, or by a program of theirs.
type AuditEntry struct {
	ID     string    `json:"id"` // rising with time
	Time   time.Time `json:"time"`
	Who    string    `json:"who"`    // "ann", "token nightly", "the daemon's token"
	Action string    `json:"action"` // "article_publish"
	On     string    `json:"on,omitempty"`
	Before string    `json:"before,omitempty"`
	After  string    `json:"after,omitempty"`
	From   string    `json:"from"` // address
}
