package people

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/store/feed"
)

// Options configure People. With the zero value, accounts and tokens of the store admit visitors.
type Options struct {
	Logger     *slog.Logger          // nil: discard
	Registerer prometheus.Registerer // nil: metrics are not registered
	Now        func() time.Time      // nil: time.Now

	PublicURL string                   // "https://news.example.org"; with https, cookies are Secure
	Rounds    int                      // of PBKDF2; 0: 600,000
	Open      func(*http.Request) bool // pages are open to the request as to an editor; nil: never
	OnFailure func(method string)      // called with "token", "basic", "password" or "proxy"; nil disables it
	OnRemoved func(context.Context)    // called after an account was removed; nil disables it
	// OnMember is called after a member was added, and before the member sees the first page; nil disables it.
	OnMember func(ctx context.Context, name string)

	// Mail sends a plain text to an address. feed.ErrMailRefused: it will never be accepted. nil: people get no mail.
	Mail func(ctx context.Context, to, subject, text string) error

	// Work waits until a password of a client can be hashed; the client is empty for people who are signed in.
	// feed.ErrUnavailable: too many are waiting. nil: at once.
	Work func(ctx context.Context, client string) (done func(), err error)

	Access
}

// Access is the part of the options that Reload replaces.
type Access struct {
	Token string // grants everything in the API; empty: there is none

	ProxyHeader   string         // header with the name of the visitor, "X-Forwarded-User"; empty: none
	ProxyNetworks []netip.Prefix // of trusted proxies, which also send the address of their clients
	ProxyRole     feed.Role      // of visitors without an account; empty: no role

	SignUp       SignUpMode // empty: SignUpClosed
	SignUpPerDay int        // accounts that are made without an invitation

	// CheckAbout returns an error for a text that an account may not write about itself; nil: it may write anything.
	CheckAbout func(a *feed.Account, about string) error
}

// People identifies visitors. It is safe for concurrent use. Create it with New.
type People struct {
	store   Store
	opts    Options
	access  atomic.Pointer[Access]
	signIns *prometheus.CounterVec // by result
	signUps *prometheus.CounterVec // by result
	mails   *prometheus.CounterVec // by kind and result
	mailDue chan struct{}          // has a token after a request for a mail
	tries   tries                  // of tokens and passwords of HTTP Basic
	recent  *recent
}

// New returns People.
func New(store Store, opts Options) *People {
	opts.Logger, opts.Rounds = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)), cmp.Or(opts.Rounds, defaultRounds)
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Open == nil {
		opts.Open = func(*http.Request) bool { return false }
	}
	if opts.Work == nil {
		opts.Work = func(context.Context, string) (func(), error) { return func() {}, nil }
	}
	if opts.OnFailure == nil {
		opts.OnFailure = func(string) {}
	}
	if opts.OnMember == nil {
		opts.OnMember = func(context.Context, string) {}
	}
	if opts.OnRemoved == nil {
		opts.OnRemoved = func(context.Context) {}
	}
	opts.PublicURL = strings.TrimSuffix(opts.PublicURL, "/")
	p := &People{store: store, opts: opts, recent: newRecent(opts.Now), mailDue: make(chan struct{}, 1)}
	p.signIns = newResults(opts.Registerer, "feedwire_sign_ins_total", "Sign-ins with name and password, by result.")
	p.signUps = newResults(opts.Registerer, "feedwire_sign_ups_total", "Accounts that people tried to make for themselves, by result.")
	p.mails = newMailResults(opts.Registerer)
	p.Reload(opts.Access)
	return p
}

// Reload replaces the access options. Requests that begin afterwards use them.
func (p *People) Reload(access Access) {
	access.SignUp = cmp.Or(access.SignUp, SignUpClosed)
	p.access.Store(&access)
}
