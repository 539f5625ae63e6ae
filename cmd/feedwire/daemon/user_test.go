//go:build !race

package daemon

import (
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/config"
	"github.com/feedwire/feedwire/publish/desk/users"
	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestFirstStartLeadsToAnAccount(t *testing.T) {
	t.Parallel()
	var log wiretest.Logbook
	d := startWith(t, storetest.RedisAOF(t), "", func(a *app) { a.log = slog.New(slog.NewJSONHandler(&log, nil)) })
	logged := func() int { return strings.Count(log.String(), "no account exists") }
	wiretest.Eventually(t, "logged", func() bool { return logged() == 1 })
	var first, again, after notices
	welcome := func(n *notices) {
		t.Helper()
		if err := d.app.welcomeAt(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	welcome(&first)
	welcome(&again) // as after a restart
	if first.link() == "" || again.link() == "" || first.link() == again.link() {
		t.Fatalf("the links are %q and %q", first.link(), again.link())
	}
	ann := d.person(t)
	if ended, status, text := ann.sees("/"); ended != "/login" || status != http.StatusOK {
		t.Errorf("the page leads to %s: %d\n%s", ended, status, text)
	}
	ann.takes(again.link(), "Ann")
	if _, status, text := ann.sees("/users"); status != http.StatusOK || !strings.Contains(text, "ann (you)") {
		t.Errorf("got %d\n%s", status, text)
	}
	welcome(&after)
	if err := d.app.welcomeAt(t.Context(), nil); err != nil || after.link() != "" || logged() != 1 {
		t.Errorf("there is an account, and a link %q, or a line in the log: %v", after.link(), err)
	}
	if ended, status, _ := d.person(t).sends("/welcome", url.Values{
		"once": {strings.SplitAfter(first.link(), "once=")[1]}, "name": {"eve"}, "password": {password}, "again": {password},
	}); status != http.StatusNotFound {
		t.Errorf("the other link leads to %s: %d", ended, status)
	}
	ann.sends("/logout", nil)
	if ended, _, _ := ann.sees("/"); ended != "/login" {
		t.Errorf("after signing out the page leads to %s", ended)
	}
	form := url.Values{"name": {"ann"}, "password": {password}, "next": {"/audit"}}
	if ended, status, text := ann.sends("/login", form); ended != "/audit" || status != http.StatusOK || !strings.Contains(text, "used a one-time link") {
		t.Errorf("signed in again, it is %s: %d\n%s", ended, status, text)
	}
}

func TestNoFirstLinkWhereSomethingElseAsks(t *testing.T) {
	t.Parallel()
	for _, yaml := range []string{"insecure_no_auth: true\n", "auth:\n  proxy_header: X-User\n  proxy_networks: [127.0.0.1]\n"} {
		d := start(t, storetest.RedisAOF(t), yaml)
		var n notices
		if err := d.app.welcomeAt(t.Context(), &n); err != nil || n.link() != "" {
			t.Errorf("%s: %q, %v", yaml, n.link(), err)
		}
	}
}

// Ten wrong passwords make their address wait, on the real store; the API and those who are in go on.
func TestGuessingHasToWait(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "")
	ann, eve := d.signUp(t, "ann"), d.person(t)
	for i := range 11 {
		resp, err := eve.PostForm(d.Base+"/login", url.Values{"name": {"ann"}, "password": {"wrong"}})
		_, status, text := eve.read(resp, err)
		switch {
		case i < 10 && status != http.StatusUnauthorized:
			t.Errorf("guess %d: got %d\n%s", i, status, text)
		case i == 10 && (status != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == ""):
			t.Errorf("guess %d: got %d, Retry-After %q", i, status, resp.Header.Get("Retry-After"))
		}
	}
	if _, status, _ := ann.sees("/"); status != http.StatusOK {
		t.Errorf("ann is out: %d", status)
	}
	if d.metric("feedwire_sign_ins_total", "result", "throttled") != 1 || d.metric("feedwire_auth_failures_total", "method", "password") != 10 {
		t.Error("it is not counted so")
	}
}

func TestSignedInBrowserFollowsTheEvents(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "")
	ann := d.signUp(t, "ann")
	ann.Timeout = 0
	for _, p := range []struct {
		who  *person
		want int
	}{{ann, http.StatusOK}, {d.person(t), http.StatusUnauthorized}} {
		resp, err := p.who.Get(d.Base + "/api/v1/events")
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != p.want {
			t.Errorf("got %d, want %d", resp.StatusCode, p.want)
		}
	}
}

func TestSessionHoldsAtEveryDaemonOfTheStore(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	ann := start(t, redis, "").signUp(t, "ann")
	ann.base = start(t, redis, "").Base // the cookie is of the host, whatever its port
	if ended, status, _ := ann.sees("/account"); ended != "/account" || status != http.StatusOK {
		t.Errorf("at another daemon the page leads to %s: %d", ended, status)
	}
}

// A page says that the store is unavailable, and works again when it is back.
func TestPagesAreBackWithTheStore(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	ann := start(t, redis, "").signUp(t, "ann")
	redis.Kill()
	if _, status, text := ann.sees("/"); status != http.StatusServiceUnavailable || !strings.Contains(text, "cannot be reached") {
		t.Errorf("while the store is away the page says %d\n%s", status, text)
	}
	redis.Restart()
	wiretest.Eventually(t, "back", func() bool {
		_, status, _ := ann.sees("/")
		return status == http.StatusOK
	})
}

func TestPagesAreOpenInADemoAndWhereTheOperatorSaysSo(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, tt := range []struct {
		demo, insecure  bool
		host, forwarded string
		want            bool
	}{
		{false, false, "127.0.0.1", "", false},
		{true, false, "127.0.0.1:8080", "", true},
		{true, false, "localhost", "", true},
		{true, false, "[::1]:8080", "", true},
		{true, false, "rebound.example", "", false},
		{true, false, "127.0.0.1", "192.0.2.1", false},
		{false, true, "rebound.example", "192.0.2.1", true},
	} {
		a := &app{demo: tt.demo, listener: l}
		a.config.Store(&config.Config{InsecureNoAuth: tt.insecure})
		req := httptest.NewRequest(http.MethodGet, "/", nil)
		req.Host = tt.host
		if tt.forwarded != "" {
			req.Header.Set("X-Forwarded-For", tt.forwarded)
		}
		if got := a.openPages(req); got != tt.want {
			t.Errorf("%+v: got %v", tt, got)
		}
	}
}

func TestUserAndTokenCommands(t *testing.T) {
	t.Parallel()
	d, _, src := startFor(t)
	added := mustJSON[people.User](t, "user", "add", "Bob", "--role", "viewer")
	if added.Name != "bob" || added.Role != feed.RoleViewer || added.Link == "" {
		t.Errorf("added is %+v", added)
	}
	fails(t, cli.ExitFailed, "already exists", "user", "add", "bob")
	fails(t, cli.ExitFailed, "use member, viewer, editor or admin", "user", "add", "eve", "--role", "king")
	bob := d.person(t)
	bob.takes(added.Link, "")
	if u := mustJSON[people.User](t, "user", "role", "bob", "editor"); u.Role != feed.RoleEditor {
		t.Errorf("role is %+v", u)
	}
	must(t, "user", "role", "bob", "admin")
	fails(t, cli.ExitFailed, "make another account admin first", "user", "disable", "bob")
	must(t, "user", "add", "zoe", "--role", "admin")
	if _, status, text := bob.sends("/tokens", url.Values{"name": {"weekly"}, "scopes": {"read"}, "lasts": {"720h"}}); status != http.StatusOK {
		t.Errorf("bob creates no token: %d\n%s", status, text)
	}
	if text := must(t, "user", "disable", "bob"); !strings.Contains(text, "revoked token") || !strings.Contains(text, "weekly (") {
		t.Errorf("disable prints %s", text)
	}
	if u := mustJSON[people.User](t, "user", "disable", "bob"); !u.Disabled || len(u.Revoked) != 0 {
		t.Errorf("disabled is %+v", u)
	}
	if ended, _, _ := bob.sees("/"); ended != "/login" {
		t.Errorf("bob sees %s", ended)
	}
	must(t, "user", "enable", "bob")
	if text := must(t, "user", "reset", "bob"); !strings.Contains(text, "/welcome?once=") || !strings.Contains(text, "one use") {
		t.Errorf("reset prints %s", text)
	}
	table(t, must(t, "user", "list"), []string{"NAME", "ROLE", "STATE", "CREATED", "LAST SIGN-IN"}, []string{"bob", "admin", "active", "*"})
	if text := must(t, "user", "remove", "zoe"); !strings.Contains(text, "removed") || !strings.Contains(text, "zoe") {
		t.Errorf("remove prints %s", text)
	}
	fails(t, cli.ExitFailed, "last admin", "user", "remove", "bob")

	made := mustJSON[users.NewToken](t, "token", "create", "nightly", "--scope", "read", "--scope", "sources", "--lasts", "0")
	if made.Text == "" || !made.Expires.IsZero() || len(made.Scopes) != 2 {
		t.Errorf("created is %+v", made)
	}
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(made.Text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, "source", "pause", src.ID, "--api-token-file", file)
	fails(t, cli.ExitFailed, "token nightly may not do this", "user", "list", "--api-token-file", file)
	table(t, must(t, "token", "list"), []string{"ID", "NAME", "MAY", "ENDS", "LAST USED", "MADE BY"}, []string{made.ID, "nightly", "read, sources", "never", "*"})
	must(t, "token", "revoke", made.ID)
	fails(t, cli.ExitFailed, "token", "source", "resume", src.ID, "--api-token-file", file)

	log := must(t, "audit")
	for _, want := range []string{"token_revoke", "user_add", "the daemon's token", "token nightly", "source_pause"} {
		if !strings.Contains(log, want) {
			t.Errorf("the audit log does not tell of %s:\n%s", want, log)
		}
	}
}

// The program prints links to a terminal. Its log has none, and names the command that makes one.
func TestLogHasNoLink(t *testing.T) {
	t.Parallel()
	p := wiretest.BuildProgram(t, "store: {redis: 'unix://"+storetest.RedisAOF(t).Addr()+"'}")
	told := func() bool {
		return strings.Contains(p.Log.String(), `"command":"feedwire user add NAME --role admin"`)
	}
	p.Start()
	wiretest.Eventually(t, "told", told)
	if log := p.Log.String(); strings.Contains(log, "once=") {
		t.Errorf("the log has a secret:\n%s", log)
	}
	var ann people.User
	if err := p.Client().Call(t.Context(), http.MethodPost, "/api/v1/users", map[string]string{"name": "ann", "role": "admin"}, &ann); err != nil || ann.Link == "" {
		t.Fatalf("the link is %q: %v", ann.Link, err)
	}
}
