package daemon

import (
	"strings"
	"testing"

	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/publish/community"
	"github.com/feedwire/feedwire/store/feed"
)

// 19: pages of members show what they write about themselves, with links.
func TestMembersDoNotWriteBlockedTextsAboutThemselves(t *testing.T) {
	a, cfg := &app{refused: community.NewRefused(nil)}, &config.Config{Community: config.Community{Words: []string{"casino"}, Domains: []string{"spam.example"}}}
	if a.access(cfg).CheckAbout != nil {
		t.Error("there is a list without a community")
	}
	cfg.Community.Enabled = true
	check := a.access(cfg).CheckAbout
	for _, tt := range []struct {
		role           feed.Role
		about, because string
	}{
		{feed.RoleMember, "I like cranes", ""}, {feed.RoleMember, "My casino", `the word "casino" is blocked`}, {feed.RoleEditor, "My casino", ""},
		{feed.RoleMember, "See https://www.spam.example/", `the domain "spam.example" is blocked`},
	} {
		err := check(&feed.Account{Role: tt.role}, tt.about)
		if (err == nil) != (tt.because == "") || err != nil && !strings.Contains(err.Error(), tt.because) {
			t.Errorf("%q by a %s: %v", tt.about, tt.role, err)
		}
	}
}
