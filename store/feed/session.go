package feed

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"time"
)

// Life of a session.
const (
	SessionIdle = 12 * time.Hour      // after the last request
	SessionLife = 30 * 24 * time.Hour // after the sign-in
)

// LinkLife is how long a one-time link is valid.
const LinkLife = time.Hour

// Session is a signed-in browser. Only the browser has its secret.
type Session struct {
	Sum        string    `json:"-"` // SessionSum of the secret
	AccountID  int64     `json:"-"`
	Account    string    `json:"account"` // its name
	Created    time.Time `json:"created" redis:"created"`
	Seen       time.Time `json:"seen" redis:"seen"`
	Address    string    `json:"address" redis:"address"` // of the sign-in
	Agent      string    `json:"agent" redis:"agent"`     // User-Agent of the sign-in
	Generation int64     `json:"-" redis:"generation"`    // of the account at the sign-in
}

// ID returns a public id of the session.
func (s *Session) ID() string { return s.Sum[:min(16, len(s.Sum))] }

// Valid reports whether the session still authenticates the account.
func (s *Session) Valid(a *Account, now time.Time) bool {
	return s.AccountID != 0 && s.AccountID == a.ID && s.Generation == a.Generation && !a.Disabled &&
		now.Before(s.Seen.Add(SessionIdle)) && now.Before(s.Created.Add(SessionLife))
}

// HashSecret returns the hash under which a random secret is stored. A random secret needs no slow hash.
func HashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// SessionSum returns the hash under which the secret of a session is stored: 160 bits in 40 digits.
func SessionSum(secret string) string { return HashSecret(secret)[:40] }

// SameSecret reports whether a secret has a HashSecret, in a time that depends neither on their content nor on their length.
func SameSecret(secret, hash string) bool {
	return subtle.ConstantTimeCompare([]byte(HashSecret(secret)), []byte(hash)) == 1
}

// StoredResponse is the API's response to a request with an Idempotency-Key. Another request with the key gets it again.
type StoredResponse struct {
	Status      int    // HTTP
	Type        string // media type of Body
	Location    string
	Body        []byte
	BodyOmitted bool // the body contained a secret or was too large, and is not stored
}
