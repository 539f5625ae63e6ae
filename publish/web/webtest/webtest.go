// Package webtest serves rooms to a visitor of a test.
package webtest

import (
	"cmp"
	"context"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// Noon returns the fixed time that tests use as now.
func Noon() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// Rounds is what people.Options.Rounds of a test are: the usual ones take seconds.
const Rounds = 10

// PasswordHash returns what is stored of a password.
func PasswordHash(password string) feed.PasswordHash {
	const salt = "salt"
	sum, _ := pbkdf2.Key(sha256.New, password, []byte(salt), Rounds, sha256.Size) // it fails for other parameters only
	return feed.PasswordHash{Sum: hex.EncodeToString(sum), Salt: salt}
}

// Desk serves the rooms under test.
type Desk struct {
	*web.Kit
	Visitor feed.Visitor      // who sends the requests
	Audited []feed.AuditEntry // oldest first; empty if the Desk is over a store
}

// New returns a Desk whose visitor is an admin. It stores no responses for repeated requests. The caller mounts the rooms under test.
func New(now func() time.Time) *Desk {
	d := &Desk{}
	return d.over(d, now)
}

// Over is New with a store for responses and the audit log.
func Over(store web.Store, now func() time.Time) *Desk { return new(Desk).over(store, now) }

func (d *Desk) over(store web.Store, now func() time.Time) *Desk {
	d.Visitor = feed.Visitor{Name: "ann", Scopes: feed.RoleAdmin.Scopes()}
	d.Kit = web.New(store, d, web.Options{Now: now, PublicURL: "https://wire.example", StoreKind: func() string { return "embedded redis" }})
	return d
}

// FromAPI returns the visitor.
func (d *Desk) FromAPI(*http.Request) (feed.Visitor, error) { return d.Visitor, nil }

// FromPages returns the visitor.
func (d *Desk) FromPages(*http.Request) (feed.Visitor, error) { return d.Visitor, nil }

// Address returns the address of the visitor.
func (d *Desk) Address(*http.Request) string { return "192.0.2.9" }

// ClaimResponse claims every request.
func (d *Desk) ClaimResponse(context.Context, int64, string, string, string) (feed.StoredResponse, bool, error) {
	return feed.StoredResponse{}, false, nil
}

// StoreResponse does nothing.
func (d *Desk) StoreResponse(context.Context, string, string, *feed.StoredResponse) error { return nil }

// DropResponse does nothing.
func (d *Desk) DropResponse(context.Context, string, string) error { return nil }

// Confirm finds the data.
func (d *Desk) Confirm(context.Context) error { return nil }

// AddAudit appends to Audited.
func (d *Desk) AddAudit(_ context.Context, entries ...feed.AuditEntry) error {
	d.Audited = append(d.Audited, entries...)
	return nil
}

// Call sends a request: JSON to the API, a form to a page.
func (d *Desk) Call(method, path, body string, header ...string) *httptest.ResponseRecorder {
	if !strings.HasPrefix(path, "/api/") {
		header = append([]string{"Content-Type", formType}, header...)
	}
	rec := httptest.NewRecorder()
	d.ServeHTTP(rec, newRequest(method, path, body, header...))
	return rec
}

const formType = "application/x-www-form-urlencoded"

func newRequest(method, path, body string, header ...string) *http.Request {
	r := httptest.NewRequestWithContext(context.Background(), method, path, strings.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// Browser sends the requests of one person. It keeps the cookie that it gets.
type Browser struct {
	Cookie *http.Cookie // nil: none
	From   string       // address; empty: that of httptest

	tb      testing.TB
	handler http.Handler
	prepare func() // called before each request
}

// NewBrowser returns a browser without a cookie for pages that identify visitors themselves.
func NewBrowser(tb testing.TB, pages http.Handler) *Browser {
	return &Browser{tb: tb, handler: pages, prepare: func() {}}
}

// As returns the browser of a person with a role.
func (d *Desk) As(tb testing.TB, name string, role feed.Role) *Browser {
	b := NewBrowser(tb, d)
	b.prepare = func() { d.Visitor = feed.Visitor{Name: name, Scopes: role.Scopes()} }
	return b
}

// Send sends a form as a page of the desk does.
func (b *Browser) Send(method, path string, form url.Values, header ...string) *httptest.ResponseRecorder {
	b.prepare()
	r := newRequest(method, path, form.Encode(), append([]string{"Content-Type", formType, "Sec-Fetch-Site", "same-origin"}, header...)...)
	r.RemoteAddr = cmp.Or(b.From, r.RemoteAddr)
	if b.Cookie != nil {
		r.AddCookie(b.Cookie)
	}
	rec := httptest.NewRecorder()
	b.handler.ServeHTTP(rec, r)
	for _, c := range rec.Result().Cookies() {
		if b.Cookie = c; c.MaxAge < 0 {
			b.Cookie = nil
		}
	}
	return rec
}

// Get returns a page. It reports another status than the expected one.
func (b *Browser) Get(path string, status int) string {
	b.tb.Helper()
	rec := b.Send(http.MethodGet, path, nil)
	if rec.Code != status {
		b.tb.Errorf("GET %s: got %d, want %d", path, rec.Code, status)
	}
	return rec.Body.String()
}

// Follow sends a form and returns the page to which it redirects.
func (b *Browser) Follow(path string, form url.Values) string {
	b.tb.Helper()
	rec := b.Send(http.MethodPost, path, form)
	if rec.Code != http.StatusSeeOther {
		b.tb.Fatalf("POST %s: %d %s", path, rec.Code, rec.Body)
	}
	return b.Get(rec.Header().Get("Location"), http.StatusOK)
}

// Get sends a GET request to the API and decodes the response. It fails the test if the status is not 200.
func Get[T any](tb testing.TB, d *Desk, path string) T {
	tb.Helper()
	rec := d.Call(http.MethodGet, path, "")
	if rec.Code != http.StatusOK {
		tb.Fatalf("GET %s: %d %s", path, rec.Code, rec.Body)
	}
	return Read[T](tb, rec)
}

// Read decodes a response.
func Read[T any](t testing.TB, rec *httptest.ResponseRecorder) (v T) {
	t.Helper()
	if err := json.Unmarshal(rec.Body.Bytes(), &v); err != nil {
		t.Fatalf("%v in %s", err, rec.Body)
	}
	return v
}

// ProblemKind returns the kind of a problem.
func ProblemKind(p feed.Problem) string {
	_, kind, _ := strings.Cut(p.Type, "#")
	return kind
}

var undoForm = regexp.MustCompile(`action="([^"]*)"><input type="hidden" name="back" value="[^"]*"><button class="plain">Undo`)

// UndoPath returns the path of the form of a page that undoes an action.
func UndoPath(tb testing.TB, page string) string {
	tb.Helper()
	m := undoForm.FindStringSubmatch(page)
	if m == nil {
		tb.Fatalf("nothing can be undone:\n%s", page)
	}
	return m[1]
}

// ownScripts are the scripts of the layout.
var ownScripts = regexp.MustCompile(`<script src="/assets/(arrange|desk|read|status|vote|wire)\.js\?v=[0-9a-f]{12}" defer>`)

// HoldsScript reports whether a page has a script besides those of the layout.
func HoldsScript(page string) bool {
	return strings.Contains(strings.ToLower(ownScripts.ReplaceAllString(page, "")), "<script")
}

// Contains reports texts that a page does not show.
func Contains(tb testing.TB, page string, want ...string) {
	tb.Helper()
	for _, text := range want {
		if !strings.Contains(page, text) {
			tb.Errorf("the page does not show %q:\n%s", text, page)
		}
	}
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
