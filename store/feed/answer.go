package feed

// Answer is what the API answered to a request with an Idempotency-Key, for the next request with that key.
type Answer struct {
	Status   int    // HTTP
	Type     string // media type of Body
	Location string
	Body     []byte
	Told     bool // Body was not kept: it holds a secret, or is too large
}
