package daemon

import (
	"bytes"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
)

const password = "ferry to the isles"

// person is the browser of a test user.
type person struct {
	*http.Client
	t    *testing.T
	base string
}

func (d *daemon) person(t *testing.T) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &person{&http.Client{Jar: jar, Timeout: wiretest.Patience, Transport: d.Http.Transport}, t, d.Base}
}

// sees gets a page, wherever that leads, and returns where it ended, its status and its text.
func (p *person) sees(path string) (ended string, status int, text string) {
	p.t.Helper()
	resp, err := p.Get(p.base + path)
	return p.read(resp, err)
}

// sends sends a form.
func (p *person) sends(path string, form url.Values) (ended string, status int, text string) {
	p.t.Helper()
	resp, err := p.PostForm(p.base+path, form)
	return p.read(resp, err)
}

func (p *person) read(resp *http.Response, err error) (ended string, status int, text string) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.Request.URL.Path, resp.StatusCode, string(body)
}

// signUp makes the first account, and is in then.
func (d *daemon) signUp(t *testing.T, name string) *person {
	t.Helper()
	link, err := d.app.people.FirstLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := d.person(t)
	p.takes(link, name)
	return p
}

// takes uses a one-time link.
func (p *person) takes(link, name string) {
	p.t.Helper()
	_, once, _ := strings.Cut(link, "once=")
	form := url.Values{"once": {once}, "name": {name}, "password": {password}, "again": {password}}
	if ended, status, text := p.sends("/welcome", form); ended != "/" || status != http.StatusOK {
		p.t.Fatalf("the link leads to %s: %d\n%s", ended, status, text)
	}
}

// notices is what a daemon tells whoever watches its start.
type notices struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (n *notices) Write(b []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(b)
}

func (n *notices) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}

func (n *notices) link() string {
	return regexp.MustCompile(`http://\S+/welcome\?once=\S+`).FindString(n.String())
}
