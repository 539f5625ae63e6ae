package desk_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"golang.org/x/crypto/bcrypt"

	"github.com/feedwire/feedwire/store/feed"
)

const password = "ferry to the isles"

// office is a desk with people, over a small daemon's day.
type office struct {
	t     *testing.T
	signs *fakeSign
	store *fakeStore
	opts  deskOptions
	desk  *testDesk
	now   time.Time
	fails map[string]int // of authentication, by method
}

func newOffice(t *testing.T, change ...func(*deskOptions)) *office {
	o := &office{t: t, signs: newFakeSign(), store: wire(), opts: options(), now: noon, fails: map[string]int{}}
	o.signs.now = func() time.Time { return o.now }
	o.opts.Now = o.signs.now
	o.opts.PublicURL = "http://wire.example"
	o.opts.SignIn = signInOptions{Store: o.signs, Cost: bcrypt.MinCost}
	o.opts.OnAuthFailure = func(method string) { o.fails[method]++ }
	o.opts.Hub = &fakeHub{}
	for _, c := range change {
		c(&o.opts)
	}
	o.desk = newDesk(o.store, o.opts)
	return o
}

// add adds an account with the password of all tests.
func (o *office) add(name string, role feed.Role) {
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		o.t.Fatal(err)
	}
	o.signs.accounts[name] = feed.Account{Name: name, Role: role, Password: string(hash), Created: noon}
}

// browser keeps the cookie that it is given.
type browser struct {
	*office
	cookie *http.Cookie
	from   string // address
}

func (o *office) browser() *browser { return &browser{o, nil, "192.0.2.9:5000"} }

// send sends a request with a form, as a page of the desk would.
func (b *browser) send(method, path string, form url.Values, header ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.RemoteAddr = b.from
	if b.cookie != nil {
		req.AddCookie(b.cookie)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	b.desk.Handler().ServeHTTP(rec, req)
	for _, c := range rec.Result().Cookies() {
		if b.cookie = c; c.MaxAge < 0 {
			b.cookie = nil
		}
	}
	return rec
}

func (b *browser) signIn(name, password string) *httptest.ResponseRecorder {
	return b.send(http.MethodPost, "/login", url.Values{"name": {name}, "password": {password}, "next": {"/sources/x"}})
}

// in is a browser in which somebody new has signed in.
func (o *office) in(name string, role feed.Role) *browser {
	o.t.Helper()
	o.add(name, role)
	b := o.browser()
	if rec := b.signIn(name, password); rec.Code != http.StatusSeeOther {
		o.t.Fatalf("%s does not get in: %d %s", name, rec.Code, rec.Body)
	}
	return b
}

// gets checks the status of a GET, and returns the page.
func (b *browser) gets(path string, status int) string {
	b.t.Helper()
	rec := b.send(http.MethodGet, path, nil)
	if rec.Code != status {
		b.t.Errorf("GET %s: got %d, want %d", path, rec.Code, status)
	}
	return rec.Body.String()
}

func TestSignInRedirectsToTheRequestedPage(t *testing.T) {
	o := newOffice(t)
	o.add("ann", feed.RoleViewer)
	b := o.browser()
	asked := b.send(http.MethodGet, "/sources/5?a=b", nil)
	if got := asked.Header().Get("Location"); asked.Code != http.StatusSeeOther || got != "/login?next=%2Fsources%2F5%3Fa%3Db" {
		t.Fatalf("got %d to %s", asked.Code, got)
	}
	if page := b.gets(asked.Header().Get("Location"), 200); !strings.Contains(page, `value="/sources/5?a=b"`) {
		t.Errorf("the form does not know where to go:\n%s", page)
	}
	rec := b.signIn(" Ann ", password)
	if rec.Code != http.StatusSeeOther || rec.Header().Get("Location") != "/sources/x" {
		t.Errorf("got %d to %s", rec.Code, rec.Header().Get("Location"))
	}
	if c := b.cookie; c == nil || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Secure || c.Name != "feedwire" || c.Path != "/" {
		t.Errorf("the cookie is %+v", c)
	}
	b.gets("/", 200)
	if page := b.gets("/account", 200); !strings.Contains(page, "192.0.2.9") || !strings.Contains(page, "(this session)") {
		t.Errorf("the page does not list the session:\n%s", page)
	}
	if o.signs.accounts["ann"].LastSignIn != noon {
		t.Error("LastSignIn is not set")
	}
	for sum := range o.signs.sessions {
		if strings.Contains(b.cookie.Value, sum) {
			t.Error("the store holds what opens the session")
		}
	}
}

func TestSignInNeverLeadsElsewhere(t *testing.T) {
	o := newOffice(t)
	o.add("ann", feed.RoleViewer)
	for _, next := range []string{
		"https://evil.example/", "//evil.example/", `/\evil.example/`, "javascript:alert(1)", "/\t/evil.example", "", "/logout", "relative",
	} {
		b := o.browser()
		rec := b.send(http.MethodPost, "/login", url.Values{"name": {"ann"}, "password": {password}, "next": {next}})
		if got := rec.Header().Get("Location"); got != "/" {
			t.Errorf("%q leads to %q", next, got)
		}
	}
}

func TestRefusedSignInsLookAlike(t *testing.T) {
	o := newOffice(t)
	o.add("ann", feed.RoleViewer)
	o.add("off", feed.RoleViewer)
	off := o.signs.accounts["off"]
	off.Disabled = true
	o.signs.accounts["off"] = off
	o.signs.accounts["new"] = feed.Account{Name: "new", Role: feed.RoleViewer} // has chosen no password yet
	normal := regexp.MustCompile(`value="[^"]*"`)
	var first string
	for i, tt := range []struct{ name, password string }{
		{"ann", "wrong"}, {"off", password}, {"new", ""}, {"nobody", password}, {"not a name!", password},
	} {
		b := o.browser()
		b.from = fmt.Sprintf("192.0.2.%d:1", i)
		rec := b.signIn(tt.name, tt.password)
		page := normal.ReplaceAllString(rec.Body.String(), "")
		if rec.Code != http.StatusUnauthorized || b.cookie != nil {
			t.Errorf("%s: got %d, cookie %v", tt.name, rec.Code, b.cookie)
		}
		if first == "" {
			first = page
		}
		if page != first {
			t.Errorf("%s: another page:\n%s", tt.name, page)
		}
	}
	if o.fails["password"] != 5 {
		t.Errorf("counted %v", o.fails)
	}
}

func TestTooManySignInsHaveToWait(t *testing.T) {
	reg := prometheus.NewRegistry()
	o := newOffice(t, func(opts *deskOptions) { opts.Registerer = reg })
	o.add("ann", feed.RoleViewer)
	for range 5 {
		o.browser().signIn("ann", "wrong")
	}
	var pages []string
	for _, name := range []string{"ann", "eve"} {
		rec := o.browser().signIn(name, password)
		if rec.Code != http.StatusTooManyRequests || rec.Header().Get("Retry-After") != "90" {
			t.Errorf("%s: got %d, Retry-After %q", name, rec.Code, rec.Header().Get("Retry-After"))
		}
		pages = append(pages, strings.ReplaceAll(rec.Body.String(), name, ""))
	}
	if pages[0] != pages[1] || !strings.Contains(pages[0], "Try again in 1 min 30 s.") {
		t.Errorf("the page tells who has an account, or not when to come back:\n%s", pages[0])
	}
	other := o.browser()
	other.from = "198.51.100.1:1"
	if rec := other.signIn("ann", password); rec.Code != http.StatusSeeOther {
		t.Errorf("from elsewhere the right password got %d", rec.Code)
	}
	want := `# HELP feedwire_sign_ins_total Sign-ins with name and password, by result.
# TYPE feedwire_sign_ins_total counter
feedwire_sign_ins_total{result="ok"} 1
feedwire_sign_ins_total{result="refused"} 5
feedwire_sign_ins_total{result="throttled"} 2
feedwire_sign_ins_total{result="unavailable"} 0
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "feedwire_sign_ins_total"); err != nil {
		t.Error(err)
	}
}

func TestSessionIsAnotherOneAfterEachSignIn(t *testing.T) {
	o := newOffice(t)
	b := o.in("ann", feed.RoleViewer)
	before := b.cookie
	b.signIn("ann", password)
	if b.cookie.Value == before.Value {
		t.Error("the session has stayed the same")
	}
	old := o.browser()
	old.cookie = before
	old.gets("/", 303)
	planted := o.browser()
	planted.cookie = &http.Cookie{Name: "feedwire", Value: "ann:chosen-by-somebody-else"}
	planted.gets("/", 303)
	if planted.signIn("ann", password); planted.cookie.Value == "ann:chosen-by-somebody-else" {
		t.Error("the browser keeps a session that it was given before")
	}
}

func TestSessionEndsByTimeAndLastsWithUse(t *testing.T) {
	o := newOffice(t)
	b := o.in("ann", feed.RoleViewer)
	for range 5 {
		o.now = o.now.Add(feed.SessionIdle - time.Minute)
		b.gets("/", 200)
	}
	o.now = o.now.Add(feed.SessionIdle)
	b.gets("/", 303)
	b.signIn("ann", password)
	for end := o.now.Add(feed.SessionLife); o.now.Add(11 * time.Hour).Before(end); {
		b.gets("/", 200)
		o.now = o.now.Add(11 * time.Hour)
	}
	o.now = o.now.Add(11 * time.Hour)
	b.gets("/", 303)
}

func TestFormOfAnEndedSessionSaysThatNothingWasSaved(t *testing.T) {
	o := newOffice(t)
	b := o.in("ann", feed.RoleAdmin)
	o.now = o.now.Add(feed.SessionIdle)
	rec := b.send(http.MethodPost, "/users", url.Values{"name": {"eve"}, "role": {"admin"}})
	page := rec.Body.String()
	if rec.Code != 401 || !strings.Contains(page, "was not saved") || !strings.Contains(page, `value="/users"`) {
		t.Errorf("got %d:\n%s", rec.Code, page)
	}
	if len(o.signs.accounts) != 1 {
		t.Error("it was saved")
	}
}

func TestSignOutEndsTheSession(t *testing.T) {
	o := newOffice(t)
	b, other := o.in("ann", feed.RoleViewer), o.browser()
	other.signIn("ann", password)
	cookie := b.cookie
	if rec := b.send(http.MethodPost, "/logout", nil); rec.Code != 303 || b.cookie != nil {
		t.Errorf("got %d, cookie %v", rec.Code, b.cookie)
	}
	b.cookie = cookie
	b.gets("/", 303)
	other.gets("/", 200)
	other.send(http.MethodPost, "/account/sessions/end", nil)
	if sessions, _ := o.signs.Sessions(t.Context(), "ann"); len(sessions) != 0 {
		t.Errorf("there are sessions left: %v", sessions)
	}
}

func TestEndSessionEndsOnlyThatSession(t *testing.T) {
	o := newOffice(t)
	b, other := o.in("ann", feed.RoleViewer), o.browser()
	other.signIn("ann", password)
	stranger := o.in("bob", feed.RoleViewer)
	action := regexp.MustCompile(`/account/sessions/[0-9a-f]{16}/end`).FindString(b.gets("/account", 200))
	stranger.send(http.MethodPost, action, nil)
	other.gets("/", 200)
	b.send(http.MethodPost, action, nil)
	other.gets("/", 303)
	b.gets("/", 200)
}

func TestPasswordIsChangedByWhoKnowsIt(t *testing.T) {
	o := newOffice(t)
	b, other := o.in("ann", feed.RoleViewer), o.browser()
	other.signIn("ann", password)
	change := func(current, password, again string) (int, string) {
		rec := b.send(http.MethodPost, "/account/password", url.Values{"current": {current}, "password": {password}, "again": {again}})
		return rec.Code, rec.Body.String()
	}
	for _, tt := range []struct{ current, password, again, says string }{
		{"wrong", "another harbour", "another harbour", "current password is wrong"},
		{password, "another harbour", "another harbor", "differ"},
		{password, "short", "short", "at least 10"},
	} {
		if code, page := change(tt.current, tt.password, tt.again); code != 422 || !strings.Contains(page, tt.says) {
			t.Errorf("%v: got %d:\n%s", tt, code, page)
		}
	}
	if code, page := change(password, "another harbour", "another harbour"); code != 303 {
		t.Fatalf("got %d:\n%s", code, page)
	}
	b.gets("/", 200)
	other.gets("/", 303)
	if rec := o.browser().signIn("ann", password); rec.Code != 401 {
		t.Errorf("the old password got %d", rec.Code)
	}
	if rec := o.browser().signIn("ann", "another harbour"); rec.Code != 303 {
		t.Errorf("the new one got %d", rec.Code)
	}
}

func TestPagesSayThatTheStoreIsAway(t *testing.T) {
	o := newOffice(t)
	b := o.in("ann", feed.RoleAdmin)
	o.signs.err = fmt.Errorf("dial redis.internal: %w", feed.ErrUnavailable)
	for _, path := range []string{"/", "/users", "/account", "/api/v1/status"} {
		rec := b.send(http.MethodGet, path, nil)
		if rec.Code != 503 || rec.Header().Get("Retry-After") == "" || strings.Contains(rec.Body.String(), "redis.internal") {
			t.Errorf("%s: got %d:\n%s", path, rec.Code, rec.Body)
		}
	}
	if rec := o.browser().signIn("ann", password); rec.Code != 503 {
		t.Errorf("sign-in got %d", rec.Code)
	}
	o.browser().gets("/login", 200)
	b.gets("/login", 200)
}
