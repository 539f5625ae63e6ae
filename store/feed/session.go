package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// How long a session lasts.
const (
	SessionIdle = 12 * time.Hour      // after the last request
	SessionLife = 30 * 24 * time.Hour // after the sign-in
)

// LinkLife is how long a one-time link can be used.
const LinkLife = time.Hour

// Session is one browser in which somebody has signed in. Its secret is known to that browser alone.
type Session struct {
	Sum        string    `json:"-"` // SecretSum of the secret
	Account    string    `json:"account"`
	Created    time.Time `json:"created"`
	Seen       time.Time `json:"seen"`
	Address    string    `json:"address"` // of the sign-in
	Agent      string    `json:"agent"`   // User-Agent of the sign-in
	Generation int64     `json:"-"`       // of the account at the sign-in
}

// ID names the session to people; it opens nothing.
func (s *Session) ID() string { return s.Sum[:min(16, len(s.Sum))] }

// Holds reports whether the session still lets its account in.
func (s *Session) Holds(a *Account, now time.Time) bool {
	return s.Account != "" && s.Account == a.Name && s.Generation == a.Generation && !a.Disabled &&
		now.Before(s.Seen.Add(SessionIdle)) && now.Before(s.Created.Add(SessionLife))
}

// SecretSum is what is kept of a random secret, so that who reads the store cannot use it. A secret of full strength
// needs no slow sum.
func SecretSum(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
