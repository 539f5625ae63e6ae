package users_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/feedwire/feedwire/publish/desk/users"
	"github.com/feedwire/feedwire/publish/people"
	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const password = "ferry to the isles"

// office is a desk with users, and with work for them.
type office struct {
	*storetest.Newsroom
	t      *testing.T
	people *people.People
	kit    *web.Kit
	work   *work
	fails  map[string]int // of authentication, by method
}

func newOffice(t *testing.T, change ...func(*people.Options)) *office {
	t.Helper()
	o := &office{Newsroom: storetest.EmptyNewsroom(t), t: t, work: &work{open: make(chan struct{}, 10)}, fails: map[string]int{}}
	opts := people.Options{
		Now: o.Clock.Now, PublicURL: "http://wire.example", Rounds: webtest.Rounds, OnFailure: func(method string) { o.fails[method]++ },
	}
	for _, c := range change {
		c(&opts)
	}
	o.people, o.kit = newKit(o.Newsroom, opts, o.work)
	return o
}

// newKit serves the users of a store, and work for them.
func newKit(n *storetest.Newsroom, opts people.Options, w *work) (*people.People, *web.Kit) {
	visitors := people.New(n, opts)
	kit := web.New(n, visitors, web.Options{Now: n.Clock.Now, PublicURL: opts.PublicURL, Readmit: time.Millisecond})
	kit.Mount(users.New(n, visitors, kit), w)
	return visitors, kit
}

// work is a room with something to do for each scope.
type work struct {
	saved []url.Values
	open  chan struct{} // gets a token for each open stream
}

func (w *work) Site() web.Site {
	ok := func(http.ResponseWriter, *http.Request) error { return nil }
	publish := func(_ http.ResponseWriter, r *http.Request) error {
		web.Changed(r, feed.Object{Name: r.PathValue("uuid")}, "unpublished", "published")
		return nil
	}
	save := func(_ http.ResponseWriter, r *http.Request) error {
		w.saved = append(w.saved, r.PostForm)
		return nil
	}
	last := func(_ http.ResponseWriter, r *http.Request) error {
		w.open <- struct{}{}
		<-r.Context().Done()
		return nil
	}
	return web.Site{Nav: []web.Link{{Path: "/sources", Text: "sources"}, {Path: "/read", Text: "read"}}, Routes: []web.Route{
		{Pattern: "GET /sources", Scope: feed.ScopeRead, Serve: ok},
		{Pattern: "GET /read", Scope: feed.ScopeFollows, Serve: ok},
		{Pattern: "GET /signals/live", Scope: feed.ScopeRead, Serve: last, Lasts: true},
		{Pattern: "GET /api/v1/live", Scope: feed.ScopeRead, Serve: last, Lasts: true, Untagged: true},
		{Pattern: "GET /{$}", Scope: feed.ScopeRead, Serve: ok},
		{Pattern: "GET /sources/{id}", Scope: feed.ScopeRead, Serve: ok},
		{Pattern: "POST /sources/{id}/edit", Scope: feed.ScopeSources, Action: &web.Action{Name: "source_change"}, Serve: save},
		{Pattern: "GET /api/v1/status", Scope: feed.ScopeRead, Serve: ok, Untagged: true},
		{Pattern: "POST /api/v1/sources/poll", Scope: feed.ScopeSources, Action: &web.Action{Name: "source_poll"}, Serve: ok},
		{
			Pattern: "POST /api/v1/articles/{uuid}/publish", Scope: feed.ScopePublish,
			Action: &web.Action{Name: "article_publish", Text: "published"}, Serve: publish,
		},
	}}
}

// add adds an account with the password of all tests.
func (o *office) add(name string, role feed.Role) {
	o.addAccount(feed.Account{Name: name, Role: role, Password: webtest.PasswordHash(password)})
}

func (o *office) addAccount(a feed.Account) {
	o.t.Helper()
	a.Created = o.Clock.Time
	if err := o.AddAccount(o.t.Context(), a); err != nil {
		o.t.Fatal(err)
	}
}

// account returns an account.
func (o *office) account(name string) feed.Account {
	o.t.Helper()
	a, err := o.Account(o.t.Context(), name)
	if err != nil {
		o.t.Fatal(err)
	}
	return a
}

// sessions returns the valid sessions of an account.
func (o *office) sessions(account string) []feed.Session {
	o.t.Helper()
	all, err := o.Sessions(o.t.Context(), o.account(account).ID)
	if err != nil {
		o.t.Fatal(err)
	}
	return all
}

// endSessions ends all sessions of an account.
func (o *office) endSessions(account string) {
	o.t.Helper()
	for _, s := range o.sessions(account) {
		if err := o.EndSession(o.t.Context(), s.Sum, s.AccountID); err != nil {
			o.t.Fatal(err)
		}
	}
}

// browser is the browser of someone who may sign in.
type browser struct{ *webtest.Browser }

func (o *office) browser() *browser {
	b := webtest.NewBrowser(o.t, o.kit)
	b.From = "192.0.2.9:5000"
	return &browser{b}
}

// signIn sends the form of the sign-in page, for a page that requires it.
func (b *browser) signIn(name, password string) *httptest.ResponseRecorder {
	return b.Send(http.MethodPost, "/login", url.Values{"name": {name}, "password": {password}, "next": {"/sources/x"}})
}

// in returns the browser of a new account that has signed in.
func (o *office) in(name string, role feed.Role) *browser {
	o.t.Helper()
	o.add(name, role)
	b := o.browser()
	if rec := b.signIn(name, password); rec.Code != http.StatusSeeOther {
		o.t.Fatalf("%s cannot sign in: %d", name, rec.Code)
	}
	return b
}
