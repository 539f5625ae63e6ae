package feed

// StoredResponse is the API's response to a request with an Idempotency-Key. Another request with the key gets it again.
type StoredResponse struct {
	Status      int    // HTTP
	Type        string // media type of Body
	Location    string
	Body        []byte
	BodyOmitted bool // the body contained a secret or was too large, and is not stored
}
