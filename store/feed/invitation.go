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
	Sum     string    `json:"-"`                       // HashSecret of the secret in its link; begins with the ID
	Creator string    `json:"creator" redis:"creator"` // as the audit log names it
	Inviter int64     `json:"-" redis:"inviter"`       // account that created it, perhaps with a token; 0: none
	Created time.Time `json:"created" redis:"created"`
	Expires time.Time `json:"expires" redis:"expires"`
}

// MaxInviters bounds the accounts above one in the tree of invitations that are read at once.
const MaxInviters = 20

// InvitationTree is who invited an account, and whom it invited.
type InvitationTree struct {
	Member  TreeMember       `json:"member"`
	Above   []TreeMember     `json:"above"`   // who invited it, who invited that one and so on; up to MaxInviters
	Invited Page[TreeMember] `json:"invited"` // the latest first
}

// TreeMember is an account in the tree of invitations, as moderators see it.
type TreeMember struct {
	AccountID int64       `json:"account_id"`
	Account   string      `json:"account,omitempty"` // empty: it was removed
	State     MemberState `json:"state"`
	Karma     int         `json:"karma"`
	Since     time.Time   `json:"since,omitzero"` // when the account was made; zero: it was removed
}

// MemberState is whether an account may write.
type MemberState string

// States of an account.
const (
	MemberActive   MemberState = "active"
	MemberBanned   MemberState = "banned" // from the community
	MemberDisabled MemberState = "disabled"
	MemberRemoved  MemberState = "removed"
)

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
