package people

import (
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

func TestRoleIsTheHighestOfItsFlags(t *testing.T) {
	for flags, want := range map[string]feed.Role{
		"": feed.RoleMember, "x": feed.RoleMember, "v": feed.RoleViewer, "e": feed.RoleEditor, "a": feed.RoleAdmin, "xe": feed.RoleEditor, "aev": feed.RoleAdmin,
	} {
		if got := roleOf(flags); got != want {
			t.Errorf("roleOf(%q) = %q, want %q", flags, got, want)
		}
	}
	for _, role := range feed.Roles() {
		if got := roleOf(roleFlags[role]); got != role {
			t.Errorf("the flag of %s is that of %s", role, got)
		}
	}
}
