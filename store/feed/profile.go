package feed

import (
	"fmt"
	"net/mail"
	"strings"
	"unicode/utf8"
)

// Bounds of a profile.
const (
	MaxAbout = 4096 // characters
	MaxEmail = 256  // bytes
)

// Profile is what the owner of an account has written about it.
type Profile struct {
	About string `json:"about" redis:"about"` // shown on the site of the community
	Email string `json:"email" redis:"email"` // shown to the owner and to admins only
}

// ProfileChange changes the fields of a profile that are not nil.
type ProfileChange struct {
	About, Email *string
}

// Check is Profile.Check of the fields that change.
func (c *ProfileChange) Check() error {
	var p Profile
	if c.About != nil {
		p.About = *c.About
		c.About = &p.About
	}
	if c.Email != nil {
		p.Email = *c.Email
		c.Email = &p.Email
	}
	return p.Check()
}

// Check removes surrounding blanks and returns nil if the profile is within its bounds. The error is ErrInvalid.
func (p *Profile) Check() error {
	p.About, p.Email = strings.TrimSpace(p.About), strings.TrimSpace(p.Email)
	if utf8.RuneCountInString(p.About) > MaxAbout || !utf8.ValidString(p.About) || strings.ContainsFunc(p.About, isOddControl) {
		return Invalid("about", fmt.Sprintf("use up to %d characters without control characters", MaxAbout))
	}
	if p.Email == "" {
		return nil
	}
	// The parser accepts names, comments and quotes, which a mail must not carry into its headers.
	a, err := mail.ParseAddress(p.Email)
	if err != nil || a.Address != p.Email || len(p.Email) > MaxEmail || strings.ContainsAny(p.Email, "\"<>() \t\r\n") {
		return Invalid("email", fmt.Sprintf("use an address like ann@example.org of up to %d bytes, or none", MaxEmail))
	}
	return nil
}
