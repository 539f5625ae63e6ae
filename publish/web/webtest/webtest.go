// Package webtest serves rooms to a visitor of a test.
package webtest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Noon returns the fixed time that tests use as now.
func Noon() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// Desk serves the rooms under test. It stores no responses for repeated requests.
type Desk struct {
	*web.Kit
	Visitor feed.Visitor      // who sends the requests
	Audited []feed.AuditEntry // oldest first
}

// New returns a Desk whose visitor is an admin. The caller mounts the rooms under test.
func New(now func() time.Time) *Desk {
	d := &Desk{Visitor: feed.Visitor{Name: "ann", Scopes: feed.RoleAdmin.Scopes()}}
	d.Kit = web.New(d, d, web.Options{Now: now, PublicURL: "https://wire.example"})
	return d
}

// FromAPI returns the visitor.
func (d *Desk) FromAPI(*http.Request) (feed.Visitor, error) { return d.Visitor, nil }

// FromPages returns the visitor.
func (d *Desk) FromPages(*http.Request) (feed.Visitor, error) { return d.Visitor, nil }

// Address returns the address of the visitor.
func (d *Desk) Address(*http.Request) string { return "192.0.2.9" }

// ClaimResponse claims every request.
func (d *Desk) ClaimResponse(context.Context, string, string, string) (feed.StoredResponse, bool, error) {
	return feed.StoredResponse{}, false, nil
}

// StoreResponse does nothing.
func (d *Desk) StoreResponse(context.Context, string, string, *feed.StoredResponse) error { return nil }

// DropResponse does nothing.
func (d *Desk) DropResponse(context.Context, string, string) error { return nil }

// AddAudit appends to Audited.
func (d *Desk) AddAudit(_ context.Context, entries ...feed.AuditEntry) error {
	d.Audited = append(d.Audited, entries...)
	return nil
}

// Call sends a request: JSON to the API, a form to a page.
func (d *Desk) Call(method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(context.Background(), method, path, strings.NewReader(body))
	if !strings.HasPrefix(path, "/api/") {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	d.ServeHTTP(rec, r)
	return rec
}

// Read decodes a response.
func Read[T any](t testing.TB, rec *httptest.ResponseRecorder) (v T) {
	t.Helper()
	if err := json.Unmarshal(rec.Body.Bytes(), &v); err != nil {
		t.Fatalf("%v in %s", err, rec.Body)
	}
	return v
}

// InOrder reports texts that a page does not show in this order.
func InOrder(t testing.TB, page string, want ...string) {
	t.Helper()
	rest := page
	for _, text := range want {
		_, after, found := strings.Cut(rest, text)
		if !found {
			t.Errorf("the page does not show %q there:\n%s", text, page)
			return
		}
		rest = after
	}
}
