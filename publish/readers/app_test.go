package readers_test

import (
	"encoding/json"
	"fmt"
	"image/png"
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
	var manifest struct {
		Scope, Display string
		Icons          []struct{ Src, Sizes, Type, Purpose string }
	}
	if err := json.Unmarshal([]byte(b.Get("/read/manifest.webmanifest", 200)), &manifest); err != nil || manifest.Scope != "/read" || manifest.Display != "standalone" {
		t.Errorf("%+v, %v", manifest, err)
	}
	var purposes []string
	for _, icon := range manifest.Icons {
		file := b.Send(http.MethodGet, icon.Src, nil)
		if file.Code != http.StatusOK || file.Header().Get("Content-Type") != icon.Type {
			t.Errorf("%+v: %d, %v", icon, file.Code, file.Header())
		}
		if icon.Type != "image/png" {
			continue
		}
		size, err := png.DecodeConfig(file.Body)
		if err != nil || fmt.Sprintf("%dx%d", size.Width, size.Height) != icon.Sizes {
			t.Errorf("%+v is %+v, %v", icon, size, err)
		}
		purposes = append(purposes, icon.Sizes+icon.Purpose)
	}
	if fmt.Sprint(purposes) != "[192x192 512x512 512x512maskable]" {
		t.Errorf("icons %v", purposes)
	}
	worker := b.Send(http.MethodGet, "/read/worker.js", nil).Header()
	if worker.Get("Service-Worker-Allowed") != "/read" || worker.Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("header %v", worker)
	}
}
