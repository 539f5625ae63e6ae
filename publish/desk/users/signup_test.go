package users_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/store/feed"
)

// signUp sends the form of the sign-up page.
func (b *browser) signUp(invitation, name, password string) *httptest.ResponseRecorder {
	return b.Send(http.MethodPost, "/sign-up", url.Values{
		"invitation": {invitation}, "name": {name}, "password": {password}, "again": {password},
	})
}

func mode(mode people.SignUpMode) func(*people.Options) {
	return func(opts *people.Options) { opts.SignUp, opts.SignUpPerDay = mode, 100 }
}

func TestInvitedPersonBecomesAMember(t *testing.T) {
	var joined []string
	o := newOffice(t, mode(people.SignUpInvited), func(opts *people.Options) {
		opts.OnMember = func(_ context.Context, name string) { joined = append(joined, name) }
	})
	admin := o.in("ann", feed.RoleAdmin)
	page := admin.Send(http.MethodPost, "/users/invitations", nil).Body.String()
	link := regexp.MustCompile(`http://wire.example(/sign-up\?invitation=([\w-]{43}))`).FindStringSubmatch(page)
	if link == nil {
		t.Fatalf("the page shows no link:\n%s", page)
	}
	if page := admin.Get("/users", 200); strings.Contains(page, link[2]) || !strings.Contains(page, "1 open invitation") {
		t.Errorf("the link is shown again, or the invitation is not listed:\n%s", page)
	}
	mia := o.browser()
	mia.Get("/sign-up", http.StatusNotFound)
	if page := mia.Get(link[1], 200); !strings.Contains(page, `name="name"`) {
		t.Errorf("the page has no form:\n%s", page)
	}
	for _, tt := range []struct{ name, password, want string }{
		{"not a name", password, "se up to 64 letters"}, {"mia", "short", "10 characters"}, {"ann", password, "This name is taken"},
	} {
		rec := mia.signUp(link[2], tt.name, tt.password)
		if body := rec.Body.String(); rec.Code != 422 || !strings.Contains(body, tt.want) || !strings.Contains(body, link[2]) {
			t.Errorf("%s got %d:\n%s", tt.name, rec.Code, body)
		}
	}
	if rec := mia.signUp(link[2], " Mia ", password); rec.Code != 303 || rec.Header().Get("Location") != "/" {
		t.Fatalf("got %d to %s:\n%s", rec.Code, rec.Header().Get("Location"), rec.Body)
	}
	admin.Send(http.MethodPost, "/users", url.Values{"name": {"joe"}, "role": {"member"}})
	admin.Send(http.MethodPost, "/users", url.Values{"name": {"vic"}, "role": {"viewer"}})
	if !slices.Equal(joined, []string{"mia", "joe"}) {
		t.Errorf("%v joined", joined)
	}
	mia.Get("/read", 200)
	mia.Get("/users", 403)
	if a := o.account("mia"); a.Role != feed.RoleMember || a.LastSignIn.IsZero() {
		t.Errorf("mia is %+v", a)
	}
	if data := mia.Get("/account/export", 200); !strings.Contains(data, `"invited_by":"ann"`) {
		t.Errorf("the export does not say who invited mia: %s", data)
	}
	if rec := o.browser().signUp(link[2], "eve", password); rec.Code != 404 || !strings.Contains(rec.Body.String(), "it was used") {
		t.Errorf("the second time got %d:\n%s", rec.Code, rec.Body)
	}
	for _, want := range []string{"invite", "sign_up"} {
		if entries, err := o.Audit(t.Context(), "", 10); err != nil || !strings.Contains(fmt.Sprint(entries), want) {
			t.Errorf("the audit log has no %s: %+v, %v", want, entries, err)
		}
	}
}

func TestRevokedInvitationIsNotValid(t *testing.T) {
	o := newOffice(t, mode(people.SignUpInvited))
	admin := o.in("ann", feed.RoleAdmin)
	made, err := o.people.InviteMember(t.Context(), &feed.Visitor{Name: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	revoke := "/users/invitations/" + made.ID + "/revoke"
	if rec := admin.Send(http.MethodPost, revoke, nil); rec.Code != 303 {
		t.Errorf("got %d:\n%s", rec.Code, rec.Body)
	}
	if rec := admin.Send(http.MethodPost, revoke, nil); rec.Code != 404 || !strings.Contains(rec.Body.String(), "was used or revoked") {
		t.Errorf("the second time got %d:\n%s", rec.Code, rec.Body)
	}
	_, secret, _ := strings.Cut(made.Link, "=")
	if rec := o.browser().signUp(secret, "mia", password); rec.Code != 404 {
		t.Errorf("a revoked invitation makes an account: %d", rec.Code)
	}
}

func TestSignUpIsClosedUnlessTheOperatorOpensIt(t *testing.T) {
	o := newOffice(t)
	admin := o.in("ann", feed.RoleAdmin)
	if page := admin.Get("/users", 200); strings.Contains(page, "Invite a member") {
		t.Error("the page offers invitations")
	}
	if rec := admin.Send(http.MethodPost, "/users/invitations", nil); rec.Code != 409 || !strings.Contains(rec.Body.String(), "people.sign_up") {
		t.Errorf("an invitation while sign-up is closed: %d", rec.Code)
	}
	o.browser().Get("/sign-up", 404)
	if rec := o.browser().signUp("", "mia", password); rec.Code != 404 {
		t.Errorf("got %d", rec.Code)
	}
	if strings.Contains(o.browser().Get("/login", 200), "/sign-up") {
		t.Error("the sign-in page leads to a closed page")
	}
}

// 003-16, and show 5 of the community: names cannot be found out by trying many.
func TestAnyoneSignsUpWithinLimits(t *testing.T) {
	reg := prometheus.NewRegistry()
	o := newOffice(t, mode(people.SignUpOpen), func(opts *people.Options) { opts.Registerer = reg })
	o.add("ann", feed.RoleAdmin)
	b := o.browser()
	if page := b.Get("/login", 200); !strings.Contains(page, `href="/sign-up"`) {
		t.Errorf("the sign-in page does not lead to the other one:\n%s", page)
	}
	page := b.Get("/sign-up?invitation=used", 404)
	if strings.Contains(page, "needs an invitation") || !strings.Contains(page, "was used or revoked") || !strings.Contains(page, `href="/sign-up"`) {
		t.Errorf("with an invitation that is not valid:\n%s", page)
	}
	if rec := b.signUp("", "mia", password); rec.Code != 303 {
		t.Fatalf("got %d:\n%s", rec.Code, rec.Body)
	}
	if rec := b.Send(http.MethodGet, "/sign-up", nil); rec.Code != 303 {
		t.Errorf("a member is offered another account: %d", rec.Code)
	}
	if rec := o.browser().signUp("", "eve", password); rec.Code != 429 || !strings.Contains(rec.Body.String(), "Try again in 15 h") ||
		rec.Header().Get("Retry-After") == "" {
		t.Errorf("a second account from the address: %d:\n%s", rec.Code, rec.Body)
	}
	// Who looks for names must wait, and may no longer sign in from there.
	guesser := o.browser()
	guesser.From = "192.0.2.200:5000"
	for n := range 10 {
		if rec := guesser.signUp("", "ann", password); rec.Code != 422 {
			t.Errorf("guess %d got %d", n, rec.Code)
		}
	}
	if rec := guesser.signUp("", "bob", password); rec.Code != 429 || rec.Header().Get("Retry-After") == "" {
		t.Errorf("the next one got %d", rec.Code)
	}
	want := `# HELP feedwire_sign_ups_total Accounts that people tried to make for themselves, by result.
# TYPE feedwire_sign_ups_total counter
feedwire_sign_ups_total{result="ok"} 1
feedwire_sign_ups_total{result="refused"} 11
feedwire_sign_ups_total{result="throttled"} 1
feedwire_sign_ups_total{result="unavailable"} 0
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "feedwire_sign_ups_total"); err != nil {
		t.Error(err)
	}
}
