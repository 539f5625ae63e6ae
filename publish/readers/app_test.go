package readers_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/web/webtest"
)

func TestPagesCanBeInstalled(t *testing.T) {
	d := newDesk(t)
	b := d.browser()
	page := b.Send(http.MethodGet, "/read", nil)
	webtest.InOrder(t, page.Body.String(), `<link rel="manifest" href="/read/manifest.webmanifest">`, `<script src="/assets/read.js`)
	if reader := page.Header().Get("X-Feedwire-Reader"); reader != "1" || !strings.Contains(page.Header().Get("Content-Security-Policy"), "; manifest-src 'self';") {
		t.Errorf("header %v", page.Header())
	}
	var manifest struct{ Scope, Display string }
	if err := json.Unmarshal([]byte(b.Get("/read/manifest.webmanifest", 200)), &manifest); err != nil || manifest.Scope != "/read" || manifest.Display != "standalone" {
		t.Errorf("%+v, %v", manifest, err)
	}
	worker := b.Send(http.MethodGet, "/read/worker.js", nil).Header()
	if worker.Get("Service-Worker-Allowed") != "/read" || worker.Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("header %v", worker)
	}
}
