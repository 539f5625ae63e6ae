package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// Topics knows what can be subscribed to. Every method may be called concurrently. An error that is feed.ErrUnavailable
// means "not now".
type Topics interface {
	// Topic is the name under which the topic with this URL is distributed, which may be another spelling of it.
	// feed.ErrNotFound: nothing is.
	Topic(ctx context.Context, url string) (string, error)
	// Publish looks soon whether a topic has news, because somebody says so.
	Publish(ctx context.Context, topic string) error
	// PublishLater writes down that a topic is to be looked at again which was looked at a moment ago, so that it is even
	// where this daemon ends before.
	PublishLater(ctx context.Context, topic string) error
	// Document is a topic as it is now, or the part of it that is asked for. feed.ErrNotFound: there is nothing yet;
	// feed.ErrConflict: this topic has no such part.
	Document(ctx context.Context, topic string, part Part) (feed.Distribution, error)
}

// Part says which entries of a topic are asked for. The zero value leaves it to the topic.
type Part struct {
	Count  int    // entries at most, up to 50; 0: not said
	Before string // id of an entry, as its feed has it: only older ones; empty: not said
	After  string // likewise: only newer ones, those that follow it first
}

// FrontOptions are the choices a Front works by. The zero value works.
type FrontOptions struct {
	URL       string // of the hub, as subscribers know it; callbacks on its own host are refused. Empty: not known
	UserAgent string // of the hub as it asks callbacks; empty: as that of an Engine

	LeaseDefault time.Duration // where a subscriber does not ask for one; 0: 10 days, as section 8.2 suggests
	LeaseLeast   time.Duration // shorter ones are lengthened; 0: an hour
	LeaseMost    time.Duration // longer ones are shortened; 0: 30 days
	Timeout      time.Duration // of one GET at a callback; 0: 15 s
	Limits       Limits

	// Open adds a topic that nobody distributes, once somebody has confirmed a subscription to it. It bounds how many; what
	// its error says is told to the subscriber. Nil: unknown topics are refused.
	Open func(ctx context.Context, topic string) error
	// Trusted says whether a request may retrieve topics and have them sent again. Nil: none may.
	Trusted func(*http.Request) bool
	// Replay sends the newest versions of its topic to a subscription again, count of them. feed.ErrNotFound: there is no
	// subscription; feed.ErrConflict: there is no version. Nil: nothing is sent again.
	Replay func(ctx context.Context, subscription string, count int) error
	// Client names whom a request counts for in the limits; nobody: "". Nil: the address of the connection, of IPv6 its /64;
	// behind a proxy in a private network the last of X-Forwarded-For; nobody for other connections from this machine.
	Client func(*http.Request) string

	OnPanic    func(component string) // told of each recovered panic, component "signal"; nil: nobody
	Logger     *slog.Logger           // nil: discard
	Registerer prometheus.Registerer  // nil: metrics are kept but not registered
	Now        func() time.Time       // nil: time.Now
}

// Front takes requests from subscribers and publishers (WebSub section 5.1), and asks the callbacks whether they mean it
// (5.3). ServeHTTP does the one, Run the other.
type Front struct {
	store     RequestStore
	topics    Topics
	transport http.RoundTripper
	opts      FrontOptions                 // of the start
	changed   atomic.Pointer[FrontOptions] // by Reload; nil: it was not called
	host      string                       // of the hub, as in a URL; empty: not known
	metrics   *frontMetrics

	clients  *pacer // by client
	arrivals *pacer // requests, by the host of their callback
	refusals *pacer // by subscription
	turns    *turns
	news     *news
	wake     chan struct{} // holds a token when there is something to do at once
	work     sync.WaitGroup
}

// NewFront returns a Front that keeps requests in store and asks callbacks through transport, which must refuse with
// ErrBlocked to dial what must not be reached.
func NewFront(store RequestStore, topics Topics, transport http.RoundTripper, opts FrontOptions) *Front {
	opts.setDefaults()
	l := &opts.Limits
	f := &Front{
		store: store, topics: topics, transport: transport, opts: opts, metrics: newFrontMetrics(opts.Registerer),
		clients: newPacer(l.PerClient),
		// Requests come in as fast as they can be verified, so that no more of them wait than the burst.
		arrivals: newPacer(Rate{Every: l.PerHost.Every, Burst: l.HostWaiting}),
		refusals: newPacer(l.Refusals),
		turns:    newTurns(l),
		news:     newNews(l.PublishesApart),
		wake:     make(chan struct{}, 1),
	}
	if u, err := url.Parse(opts.URL); err == nil {
		f.host = u.Host
	}
	return f
}

// Reload takes over how subscriptions are taken: UserAgent, LeaseDefault, LeaseLeast, LeaseMost and Open. All else stays as
// it was with NewFront.
func (f *Front) Reload(opts FrontOptions) {
	opts.setDefaults()
	f.changed.Store(&opts)
}

// terms are the options by which subscriptions are taken at this moment.
func (f *Front) terms() *FrontOptions {
	if changed := f.changed.Load(); changed != nil {
		return changed
	}
	return &f.opts
}

func (o *FrontOptions) setDefaults() {
	for _, d := range []struct {
		value *time.Duration
		usual time.Duration
	}{
		{&o.LeaseDefault, 10 * 24 * time.Hour}, {&o.LeaseLeast, time.Hour}, {&o.LeaseMost, 30 * 24 * time.Hour},
		{&o.Timeout, 15 * time.Second},
	} {
		if *d.value <= 0 {
			*d.value = d.usual
		}
	}
	o.Limits.setDefaults()
	if o.UserAgent == "" {
		o.UserAgent = "feedwire (+https://github.com/feedwire/feedwire)"
	}
	if o.Client == nil {
		o.Client = clientAddress
	}
	if o.Trusted == nil {
		o.Trusted = func(*http.Request) bool { return false }
	}
	if o.OnPanic == nil {
		o.OnPanic = func(string) {}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// maxForm bounds a request, in bytes.
const maxForm = 16 << 10

// storeTime bounds what a request waits for the store and the topics.
const storeTime = 10 * time.Second

// about is what a person who looks at the hub with a browser reads.
const about = `This is a WebSub hub (https://www.w3.org/TR/websub/).

To subscribe, POST a form with hub.mode=subscribe, hub.topic and hub.callback here.
To tell of news, POST a form with hub.mode=publish and hub.url here.
`

// refusal is an answer to a request that is not taken.
type refusal struct {
	status int
	result string        // for the metrics
	wait   time.Duration // until another try makes sense; 0: it does not
	reason string        // for the one who asked: the parameter, what is wrong, the way out
}

func (r *refusal) Error() string { return r.reason }

func invalid(status int, reason string) *refusal {
	return &refusal{status: status, result: requestInvalid, reason: reason}
}

func limited(wait time.Duration, reason string) *refusal {
	return &refusal{status: http.StatusTooManyRequests, result: requestLimited, wait: wait, reason: reason}
}

// ServeHTTP answers requests to the hub. What the answer says never depends on the callback: that is asked later.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), storeTime)
	defer cancel()
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	mode, err := f.answer(ctx, w, r)
	result := requestAccepted
	if err != nil {
		result = f.refuse(w, mode, err)
	}
	if mode != "" || err != nil {
		f.metrics.requested(mode, result)
	}
}

// answer answers a request unless it is refused. Mode is what it is about, as far as that could be read.
func (f *Front) answer(ctx context.Context, w http.ResponseWriter, r *http.Request) (mode websub.Mode, err error) {
	client := f.opts.Client(r)
	if wait := f.clients.take(client, f.opts.Now()); wait > 0 {
		return "", limited(wait, "too many requests from your address; come back later")
	}
	switch r.Method {
	case http.MethodPost:
		return f.post(ctx, w, r, client)
	case http.MethodGet, http.MethodHead:
		query := r.URL.Query()
		switch mode := websub.ModeOf(query); mode {
		case "":
			_, _ = io.WriteString(w, about) // who does not read it needs no help
			return "", nil
		case websub.Retrieve:
			return mode, f.retrieve(ctx, w, r, query)
		}
	}
	w.Header().Set("Allow", "GET, HEAD, POST")
	return "", invalid(http.StatusMethodNotAllowed, "hub.mode: must be sent by POST, in a form")
}

// post answers a form.
func (f *Front) post(ctx context.Context, w http.ResponseWriter, r *http.Request, client string) (websub.Mode, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return "", invalid(http.StatusUnsupportedMediaType, "Content-Type: must be application/x-www-form-urlencoded")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return "", invalid(http.StatusRequestEntityTooLarge, fmt.Sprintf("the form must not be larger than %d bytes", maxForm))
		}
		return "", invalid(http.StatusBadRequest, "the form cannot be read")
	}
	form := r.PostForm // nothing from the URL, which proxies log
	switch mode := websub.ModeOf(form); mode {
	case websub.Subscribe, websub.Unsubscribe:
		return mode, f.request(ctx, w, r, form)
	case websub.Publish:
		return mode, f.publish(ctx, w, form, client)
	case websub.Replay:
		return mode, f.replay(ctx, w, r, form)
	default:
		return mode, invalid(http.StatusBadRequest, "hub.mode: must be subscribe, unsubscribe or publish")
	}
}

// refusalOf is what an error is answered. What is not the fault of the request is logged, and stays in the house.
func (f *Front) refusalOf(mode websub.Mode, err error) *refusal {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r
	}
	if _, ok := errors.AsType[*websub.ParameterError](err); ok {
		return invalid(http.StatusBadRequest, err.Error())
	}
	f.opts.Logger.Warn("request to the hub not taken", "mode", mode, "err", err)
	return &refusal{
		status: http.StatusServiceUnavailable, result: requestUnavailable, wait: 30 * time.Second, reason: "not now; come back later",
	}
}

// refuse tells why a request is not taken, and returns the result for the metrics.
func (f *Front) refuse(w http.ResponseWriter, mode websub.Mode, err error) string {
	answer := f.refusalOf(mode, err)
	if answer.wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int((answer.wait+time.Second-1)/time.Second)))
	}
	w.WriteHeader(answer.status)
	fmt.Fprintln(w, answer.reason)
	return answer.result
}

// rouse makes Run look for work.
func (f *Front) rouse() {
	select {
	case f.wake <- struct{}{}:
	default: // it is told already
	}
}
