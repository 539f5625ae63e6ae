package feed

import "time"

// Bounds of invitations.
const (
	InvitationLife = 7 * 24 * time.Hour
	MaxInvitations = 100 // that are valid at a time
)

// Invitation lets one person sign up as a member.
type Invitation struct {
	ID      string    `json:"id"`
	Sum     string    `json:"-"` // HashSecret of the secret in its link; begins with the ID
	Creator string    `json:"creator" redis:"creator"`
	Created time.Time `json:"created" redis:"created"`
	Expires time.Time `json:"expires" redis:"expires"`
}

// NewInvitation returns the invitation with a Sum.
func NewInvitation(sum string) Invitation { return Invitation{ID: sum[:min(16, len(sum))], Sum: sum} }

// SignUp is the account of a person who signs up as a member.
type SignUp struct {
	Name       string
	Password   PasswordHash
	Invitation string // its Sum; empty: there is none, and the limits apply
	Network    string // of the client, as ClientNetwork returns it
	PerDay     int    // accounts without an invitation
}
