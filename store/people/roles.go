package people

import (
	"strings"

	"github.com/feedwire/feedwire/store/feed"
)

// roleFlags are the letters of roles among the flags of an account. A member has none.
var roleFlags = map[feed.Role]string{feed.RoleViewer: "v", feed.RoleEditor: "e", feed.RoleAdmin: "a"}

// roleOf returns the highest role among the flags of an account.
func roleOf(flags string) (role feed.Role) {
	for _, r := range feed.Roles() {
		if strings.Contains(flags, roleFlags[r]) {
			role = r
		}
	}
	return role
}
