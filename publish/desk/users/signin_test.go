package users_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
)

func TestSignInRedirectsToTheRequestedPage(t *testing.T) {
	o := newOffice(t)
	o.add("ann", feed.RoleViewer)
	b := o.browser()
	asked := b.Send(http.MethodGet, "/sources/5?a=b", nil)
	if got := asked.Header().Get("Location"); asked.Code != http.StatusSeeOther || got != "/login?next=%2Fsources%2F5%3Fa%3Db" {
		t.Fatalf("got %d to %s", asked.Code, got)
	}
	if page := b.Get(asked.Header().Get("Location"), 200); !strings.Contains(page, `value="/sources/5?a=b"`) {
		t.Errorf("the form does not know where to go:\n%s", page)
	}
	rec := b.signIn(" Ann ", password)
	if rec.Code != http.StatusSeeOther || rec.Header().Get("Location") != "/sources/x" {
		t.Errorf("got %d to %s", rec.Code, rec.Header().Get("Location"))
	}
	if c := b.Cookie; c == nil || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Secure || c.Name != "feedwire" || c.Path != "/" {
		t.Errorf("the cookie is %+v", c)
	}
	b.Get("/", 200)
	if page := b.Get("/account", 200); !strings.Contains(page, "192.0.2.9") || !strings.Contains(page, "(this session)") {
		t.Errorf("the page does not list the session:\n%s", page)
	}
	if !o.account("ann").LastSignIn.Equal(webtest.Noon()) {
		t.Error("LastSignIn is not set")
	}
	for _, s := range o.sessions("ann") {
		if s.Sum == "" || strings.Contains(b.Cookie.Value, s.Sum) {
			t.Errorf("the store holds what opens the session: %q", s.Sum)
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
		rec := b.Send(http.MethodPost, "/login", url.Values{"name": {"ann"}, "password": {password}, "next": {next}})
		if got := rec.Header().Get("Location"); got != "/" {
			t.Errorf("%q leads to %q", next, got)
		}
	}
}

func TestRefusedSignInsLookAlike(t *testing.T) {
	o := newOffice(t)
	o.add("ann", feed.RoleViewer)
	o.add("off", feed.RoleViewer)
	if _, err := o.DisableAccount(t.Context(), "off"); err != nil {
		t.Fatal(err)
	}
	o.addAccount(feed.Account{Name: "new", Role: feed.RoleViewer}) // has chosen no password yet
	normal := regexp.MustCompile(`value="[^"]*"`)
	var first string
	for i, tt := range []struct{ name, password string }{
		{"ann", "wrong"}, {"off", password}, {"new", ""}, {"nobody", password}, {"not a name!", password},
	} {
		b := o.browser()
		b.From = fmt.Sprintf("192.0.2.%d:1", i)
		rec := b.signIn(tt.name, tt.password)
		page := normal.ReplaceAllString(rec.Body.String(), "")
		if rec.Code != http.StatusUnauthorized || b.Cookie != nil {
			t.Errorf("%s: got %d, cookie %v", tt.name, rec.Code, b.Cookie)
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
	o := newOffice(t, func(opts *people.Options) { opts.Registerer = reg })
	o.add("ann", feed.RoleViewer)
	for range 10 {
		o.browser().signIn("ann", "wrong")
	}
	var pages []string
	for _, name := range []string{"ann", "eve"} {
		rec := o.browser().signIn(name, password)
		if rec.Code != http.StatusTooManyRequests || rec.Header().Get("Retry-After") != "60" {
			t.Errorf("%s: got %d, Retry-After %q", name, rec.Code, rec.Header().Get("Retry-After"))
		}
		pages = append(pages, strings.ReplaceAll(rec.Body.String(), name, ""))
	}
	if pages[0] != pages[1] || !strings.Contains(pages[0], "Try again in 1 min.") {
		t.Errorf("the page tells who has an account, or not when to come back:\n%s", pages[0])
	}
	other := o.browser()
	other.From = "198.51.100.1:1"
	if rec := other.signIn("ann", password); rec.Code != http.StatusSeeOther {
		t.Errorf("from elsewhere the right password got %d", rec.Code)
	}
	want := `# HELP feedwire_sign_ins_total Sign-ins with name and password, by result.
# TYPE feedwire_sign_ins_total counter
feedwire_sign_ins_total{result="ok"} 1
feedwire_sign_ins_total{result="refused"} 10
feedwire_sign_ins_total{result="throttled"} 2
feedwire_sign_ins_total{result="unavailable"} 0
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "feedwire_sign_ins_total"); err != nil {
		t.Error(err)
	}
}

func TestSignInPageNamesTheCommandForTheFirstAccount(t *testing.T) {
	const command = "<code>feedwire user add NAME --role admin</code>"
	o := newOffice(t)
	o.add("mara", feed.RoleMember)
	if page := o.browser().Get("/login", 200); !strings.Contains(page, "There is no account yet") || !strings.Contains(page, command) {
		t.Errorf("it does not:\n%s", page)
	}
	o.add("ann", feed.RoleAdmin)
	if page := o.browser().Get("/login", 200); strings.Contains(page, command) {
		t.Error("it does although there is an account")
	}
}
