package lamernews_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/publish/blocklist"
	"github.com/feedwire/feedwire/publish/community"
	"github.com/feedwire/feedwire/publish/desk/entries"
	"github.com/feedwire/feedwire/publish/lamernews"
	"github.com/feedwire/feedwire/publish/moderation"
	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/posts"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const password = "four words are fine"

// site serves the calls over a store. Accounts are open to everyone.
type site struct {
	*storetest.Newsroom
	kit     *web.Kit
	people  *people.People
	t       *testing.T
	legacy  bool   // GET /api/login works
	mount   string // path of the site
	host    string // of requests
	from    int    // clients so far
	blocked blocklist.List

	newAccounts feed.NewAccountLimits
	review      feed.Review
}

// newSite returns a site at /community.
func newSite(t *testing.T) *site {
	t.Helper()
	return mounted(t, "")
}

// mounted returns a site that has a host of its own, unless the host is empty.
func mounted(t *testing.T, host string) *site {
	t.Helper()
	return newSiteOver(t, storetest.EmptyNewsroom(t), host)
}

// newSiteOver is mounted over a store.
func newSiteOver(t *testing.T, n *storetest.Newsroom, host string) *site {
	t.Helper()
	s := &site{Newsroom: n, t: t, host: host}
	if host == "" {
		s.mount, s.host = "/community", "wire.example"
	}
	s.people = people.New(s, people.Options{
		Mail: func(context.Context, string, string, string) error { return nil },
		Now:  s.Clock.Now, Rounds: webtest.Rounds, PublicURL: "http://wire.example",
		Access: people.Access{
			SignUp: people.SignUpOpen, SignUpPerDay: 1000, ProxyNetworks: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
			CheckAbout: func(_ *feed.Account, about string) error {
				return community.CheckText(&s.blocked, community.NewRefused(nil), "about", about)
			},
		},
	})
	s.kit = web.New(s, s.people, web.Options{Now: s.Clock.Now, PublicURL: "http://wire.example"})
	written := entries.New(s, s.kit, entries.Options{Takedown: func(take func() error) error { return take() }})
	mount := community.NewMount(host, "http://wire.example")
	actions := community.New(s, s.kit, community.Options{
		Gravatars: func() bool { return false },
		Mount:     mount, Name: "Harbour Talk", AddSource: posts.New(s, s.kit, posts.Options{}).AddSource, Create: written.Create, Edit: written.Edit, Remove: written.Remove,
		Moderator: moderation.New(s), Blocklist: &s.blocked, Refused: community.NewRefused(nil),
		NewAccounts: func() feed.NewAccountLimits { return s.newAccounts },
		Review:      func() feed.Review { return s.review },
	})
	s.kit.Mount(actions, lamernews.New(s, s.people, actions, lamernews.Options{
		Mount: mount, LegacyLogin: func() bool { return s.legacy }, OtherSite: s.kit.FromOtherSite,
	}))
	return s
}

// client is a program with an account.
type client struct {
	*site
	name, auth, secret string
	token              string // of the API, instead of auth and secret
}

// response is what a call returns.
type response struct {
	Status    string
	Error     string
	Auth      string
	APISecret string          `json:"apisecret"`
	NewsID    json.RawMessage `json:"news_id"`
	CommentID json.RawMessage `json:"comment_id"`
	ParentID  string          `json:"parent_id"`
	Op        string
	News      []map[string]string
	Count     int
	Comments  []comment
}

type comment struct {
	ID       int
	ParentID int `json:"parent_id"`
	Body     string
	Created  int64 `json:"ctime"`
	Username string
	Up, Down int
	Voted    string
	Del      int
	Replies  []comment
}

// call sends a call and fails the test unless the response is that of a call.
func (c *client) call(method, path string, form url.Values, header ...string) (got response) {
	c.t.Helper()
	body := c.send(method, path, form, header...)
	if json.Unmarshal(body, &got) != nil || (got.Status == "err") != (got.Error != "") {
		c.t.Fatalf("%s %s %.200s: got %s", method, path, form.Encode(), body)
	}
	return got
}

// send returns the response to a call. It fails the test unless the status is 200.
func (c *client) send(method, path string, form url.Values, header ...string) []byte {
	c.t.Helper()
	if c.secret != "" && form.Get("apisecret") == "" {
		form = cloned(form)
		form.Set("apisecret", c.secret)
	}
	body := form.Encode()
	if method == http.MethodGet {
		body = ""
	}
	r := httptest.NewRequestWithContext(c.t.Context(), method, "http://"+c.host+c.mount+"/api/"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if c.auth != "" {
		r.Header.Set("Cookie", "auth="+c.auth)
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	r.RemoteAddr = cmp.Or(r.Header.Get("Test-From"), "192.0.2.1:1")
	rec := httptest.NewRecorder()
	c.kit.ServeHTTP(rec, r)
	if rec.Code != http.StatusOK {
		c.t.Fatalf("%s %s %.200s: got %d %s", method, path, body, rec.Code, rec.Body)
	}
	return rec.Body.Bytes()
}

func cloned(form url.Values) url.Values {
	all := url.Values{}
	for name, values := range form {
		all[name] = values
	}
	return all
}

// form returns a form of names and values.
func form(pairs ...string) url.Values {
	all := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		all.Set(pairs[i], pairs[i+1])
	}
	return all
}

// post sends a form that must succeed.
func (c *client) post(path string, pairs ...string) response {
	c.t.Helper()
	got := c.call(http.MethodPost, path, form(pairs...))
	if got.Status != "ok" {
		c.t.Fatalf("%s %.300q by %s: %s", path, pairs, c.name, got.Error)
	}
	return got
}

// refuses fails the test unless a form is refused for a reason that contains a text.
func (c *client) refuses(because, path string, pairs ...string) {
	c.t.Helper()
	if got := c.call(http.MethodPost, path, form(pairs...)); got.Status != "err" || !strings.Contains(strings.ToLower(got.Error), because) {
		c.t.Errorf("%s %.300q by %s: got %+v, want a refusal because of %q", path, pairs, c.name, got, because)
	}
}

// stranger returns a client without an account.
func (s *site) stranger() *client { return &client{site: s, name: "a stranger"} }

// member signs a member up from a network of its own.
func (s *site) member(name string) *client {
	s.t.Helper()
	s.from++
	got := s.stranger().call(http.MethodPost, "create_account", form("username", name, "password", password),
		"Test-From", fmt.Sprintf("198.51.%d.%d:1", s.from/250, s.from%250))
	if got.Status != "ok" {
		s.t.Fatalf("%s: %+v", name, got)
	}
	return &client{site: s, name: name, auth: got.Auth, secret: got.APISecret}
}

// admin returns a client of an admin.
func (s *site) admin() *client {
	s.t.Helper()
	a := feed.Account{Name: "root", Role: feed.RoleAdmin, Created: s.Clock.Time, Password: webtest.PasswordHash(password)}
	if err := s.AddAccount(s.t.Context(), a); err != nil {
		s.t.Fatal(err)
	}
	return s.signIn("root")
}

// signIn returns a client with a session of its own.
func (s *site) signIn(name string) *client {
	s.t.Helper()
	got := s.stranger().post("login", "username", name, "password", password)
	return &client{site: s, name: name, auth: got.Auth, secret: got.APISecret}
}

// program returns a client with a token of an account for the API.
func (s *site) program(name string, scopes ...feed.Scope) *client {
	s.t.Helper()
	a, err := s.Account(s.t.Context(), name)
	if err != nil {
		s.t.Fatal(err)
	}
	_, text, err := s.people.CreateToken(s.t.Context(), &feed.Visitor{Name: name, Account: a, Scopes: a.Role.Scopes()}, "script", scopes, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	return &client{site: s, name: "a token of " + name, token: text}
}

// accountKeys returns the keys of all accounts.
func accountKeys(s *site) []string {
	return slices.DeleteFunc(s.Raw.Keys("user:*"), func(key string) bool { return strings.Count(key, ":") > 1 })
}

// user returns the hash of an account.
func (s *site) user(name string) map[string]string {
	s.t.Helper()
	return s.Raw.StringMap("HGETALL", fmt.Sprint("user:", s.id(name)))
}

// id returns the number of an account.
func (s *site) id(name string) int64 {
	s.t.Helper()
	a, err := s.Account(s.t.Context(), name)
	if err != nil {
		s.t.Fatal(err)
	}
	return a.ID
}

// submit submits a URL after the break of the member, and returns its number.
func (c *client) submit(title string) string {
	c.t.Helper()
	c.Raw.Do("DEL", fmt.Sprintf("user:%d:submitted_recently", c.id(c.name)))
	return string(c.post("submit", "news_id", "-1", "title", title, "url", "https://a.example/"+title, "text", "").NewsID)
}

// comment comments on a submission, and returns the number of the comment.
func (c *client) comment(news, parent, text string) string {
	c.t.Helper()
	return string(c.post("postcomment", "news_id", news, "comment_id", "-1", "parent_id", parent, "comment", text).CommentID)
}

// news returns the hash of a submission.
func (s *site) news(n string) map[string]string {
	s.t.Helper()
	return s.Raw.StringMap("HGETALL", "news:"+n)
}

// status returns the status of a GET request.
func status(s *site, url string) int {
	rec := httptest.NewRecorder()
	s.kit.ServeHTTP(rec, httptest.NewRequestWithContext(s.t.Context(), http.MethodGet, url, nil))
	return rec.Code
}
