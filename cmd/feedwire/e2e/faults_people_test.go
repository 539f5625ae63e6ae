//go:build faults

package e2e

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
)

const editorPassword = "a long password of the clock test"

// editor is a person with an account who uses the pages in a browser, and a program that repeats a request.
type editor struct {
	*http.Client
	t    *testing.T
	base string
}

// hires creates an account and signs in.
func (tr *trial) hires(name string) *editor {
	tr.T.Helper()
	var user struct{ Link string }
	in := map[string]string{"name": name, "role": "editor"}
	if err := tr.Client().Call(tr.T.Context(), http.MethodPost, "/api/v1/users", in, &user); err != nil {
		tr.T.Fatal(err)
	}
	e := tr.comes()
	_, once, _ := strings.Cut(user.Link, "once=")
	form := url.Values{"once": {once}, "name": {name}, "password": {editorPassword}, "again": {editorPassword}}
	if status := e.sends("/welcome", form); status != http.StatusOK || !e.signedIn() {
		tr.T.Fatalf("the one-time link was answered %d", status)
	}
	return e
}

// comes returns a person with a new browser.
func (tr *trial) comes() *editor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		tr.T.Fatal(err)
	}
	return &editor{&http.Client{Jar: jar, Timeout: wiretest.Patience}, tr.T, "http://" + tr.Address}
}

// sends sends a form and returns the status at the end of the redirects.
func (e *editor) sends(path string, form url.Values) int {
	e.t.Helper()
	resp, err := e.PostForm(e.base+path, form)
	if err != nil {
		e.t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// signedIn reports whether the session continues.
func (e *editor) signedIn() bool {
	e.t.Helper()
	resp, err := e.Get(e.base + "/account")
	if err != nil {
		e.t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK && resp.Request.URL.Path == "/account"
}

// signsIn signs in and returns the status.
func (e *editor) signsIn(name, password string) int {
	e.t.Helper()
	return e.sends("/login", url.Values{"name": {name}, "password": {password}})
}

// requests adds a source without posts under an idempotency key and returns the status.
func (tr *trial) requests() int {
	tr.T.Helper()
	req, err := http.NewRequestWithContext(tr.T.Context(), http.MethodPost, "http://"+tr.Address+"/api/v1/sources",
		strings.NewReader(`{"url": "`+tr.web.URL+`/empty.xml", "interval": "1h"}`))
	if err != nil {
		tr.T.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+wiretest.Token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", "once")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		tr.T.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// people work while the clock is set. check requires that a session and the response to a repeated request survive it, unless lapsed
// because both last less than a day, and that whoever guessed passwords before may sign in soon.
func (tr *trial) people(lapsed bool) (check func()) {
	ann, eve := tr.hires("ann"), tr.comes()
	if status := tr.requests(); status != http.StatusCreated {
		tr.T.Fatalf("the request was answered %d", status)
	}
	for range 10 {
		eve.signsIn("ann", "wrong")
	}
	if status := eve.signsIn("ann", editorPassword); status != http.StatusTooManyRequests {
		tr.T.Fatalf("after ten guesses a sign-in was answered %d", status)
	}
	return func() {
		if !ann.signedIn() && !lapsed {
			tr.T.Error("the session has ended")
		}
		if status := tr.requests(); status != http.StatusCreated && !lapsed {
			tr.T.Errorf("the repeated request was answered %d", status)
		}
		wiretest.Within(tr.T, time.Minute+soon, "signed in after the guesses", func() bool { return eve.signsIn("ann", editorPassword) == http.StatusOK })
	}
}
