package hub_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/publish/desk/hub"
	"github.com/feedwire/feedwire/publish/web/webtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newDesk returns a desk with a hub.
func newDesk(store hub.Store, opts hub.Options) *webtest.Desk {
	d := webtest.New(webtest.Noon)
	d.Mount(hub.New(store, d.Kit, opts))
	return d
}
