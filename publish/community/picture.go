package community

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// pictured reports whether members with an email address have a picture.
func (c *Community) pictured() bool { return c.opts.Gravatars() }

// showPicture serves GET /avatar/{name}: the picture that Gravatar has for the address of a member, or makes of it. This daemon fetches it, so that
// Gravatar does not learn who looks at it, and visitors do not learn the address.
func (c *Community) showPicture(w http.ResponseWriter, r *http.Request) error {
	_, user, err := c.userOf(r)
	if err != nil {
		return err
	}
	profile, err := c.store.Profile(r.Context(), user.ID)
	if err == nil && (profile.Email == "" || !c.pictured()) {
		err = fmt.Errorf("picture of %s %w", user.Name, feed.ErrNotFound)
	}
	if err != nil {
		return err
	}
	return c.opts.Picture(w, r, gravatar(profile.Email))
}

// gravatar returns the URL of the picture of an address, which is hashed in lower case.
func gravatar(email string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(email))))
	return "https://www.gravatar.com/avatar/" + hex.EncodeToString(sum[:]) + "?s=160&d=identicon&r=g"
}
