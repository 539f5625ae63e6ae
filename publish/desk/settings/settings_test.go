package settings_test

import (
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/desk/settings"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

func TestSettingsAreForAdmins(t *testing.T) {
	d := webtest.New(webtest.Noon)
	d.Mount(settings.New(d.Kit, []feed.Setting{
		{Key: "listen", Value: ":80", Origin: "env FEEDWIRE_LISTEN"}, {Key: "api.token", Value: "********", Origin: "feedwire.yaml:3"},
		{Key: "data_dir", Origin: "default"},
	}, func() settings.Reload { return settings.Reload{} }))
	webtest.InOrder(t, d.As(t, "adm", feed.RoleAdmin).Get("/settings", 200), "Settings that differ from their defaults", "listen", ":80",
		"env FEEDWIRE_LISTEN", "api.token", "Defaults", "data_dir", "empty")
	d.As(t, "ed", feed.RoleEditor).Get("/settings", 403)
}

func TestSettingsPageSaysWhenTheConfigurationWasReloaded(t *testing.T) {
	d := webtest.New(webtest.Noon)
	d.Mount(settings.New(d.Kit, nil, func() settings.Reload { return settings.Reload{Time: webtest.Noon().Add(-2 * time.Hour), OK: true} }))
	webtest.InOrder(t, d.As(t, "adm", feed.RoleAdmin).Get("/settings", 200), "Last reload", "2 h ago", "No changes.")
}
