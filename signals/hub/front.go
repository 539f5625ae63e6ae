package hub

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/feedwire/feedwire/signals/pace"
	"github.com/feedwire/feedwire/signals/retry"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// Topics knows the topics of the hub. Implementations must be safe for concurrent use. All methods may return
// feed.ErrUnavailable: retry later.
type Topics interface {
	// ResolveTopic returns the name of the topic with a URL, which may be another spelling of it. feed.ErrNotFound: the hub
	// does not distribute it.
	ResolveTopic(ctx context.Context, url string) (string, error)
	// RefreshTopic stores a request to check a topic for news. Requests for a topic that was just checked share a later check.
	RefreshTopic(ctx context.Context, topic string) error
	// PublishContent distributes a document that a publisher sent as the next version of a topic. feed.ErrConflict: the topic takes
	// no content now; a *feed.PollError describes a document that cannot be read; *feed.PushLimitError and *feed.DayLimitError:
	// there are too many entries.
	PublishContent(ctx context.Context, topic, contentType string, body []byte) error
	// UpdateAliases is called at times with all topics that have subscriptions.
	UpdateAliases(ctx context.Context, subscribed []feed.Topic) error
	// Document returns the current document of a topic, or the selected entries. feed.ErrNotFound: there is none yet;
	// feed.ErrConflict: entries of this topic cannot be selected.
	Document(ctx context.Context, topic string, entries feed.EntryRange) (feed.Distribution, error)
}

// Front accepts requests from subscribers and publishers (WebSub section 5.1) in ServeHTTP, and verifies them with the
// callbacks (section 5.3) in Run.
type Front struct {
	store     RequestStore
	topics    Topics
	transport http.RoundTripper
	opts      FrontOptions                 // of NewFront
	current   atomic.Pointer[FrontOptions] // those that Reload can replace
	host      string                       // of the hub; empty: unknown
	metrics   *frontMetrics

	clients  *pace.Pacer   // by client
	arrivals *pace.Pacer   // requests, by the host of their callback
	refusals *pace.Pacer   // refused verifications, by subscription
	proofs   *pace.Pacer   // secrets that were sent as a proof, by client and by callback
	replays  *pace.Pacer   // by subscription
	listing  chan struct{} // has a token for each list that is read
	added    *pace.Pacer   // topics added by publishing them, by client
	schedule *schedule
	page     *template.Template
	wakeup   chan struct{} // has a token if there may be work
	unknown  chan string   // published topics to add
	work     sync.WaitGroup
	failures retry.Report // of requests
}

// NewFront returns a Front that sends verification requests through transport, which must fail with
// feed.FailureBlockedAddress for addresses that must not be reached.
func NewFront(store RequestStore, topics Topics, transport http.RoundTripper, opts FrontOptions) *Front {
	opts = opts.withDefaults()
	l := &opts.Limits
	f := &Front{
		store: store, topics: topics, transport: transport, opts: opts, metrics: newFrontMetrics(opts.Registerer),
		clients: pace.New(l.PerClient),
		// Requests are accepted as fast as they can be verified, so that at most a burst of them is queued.
		arrivals: pace.New(pace.Rate{Every: l.PerHost.Every, Burst: l.QueuedPerHost}),
		refusals: pace.New(l.Refusals),
		proofs:   pace.New(l.Proofs),
		replays:  pace.New(l.Replays),
		listing:  make(chan struct{}, maxListing),
		added:    pace.New(l.AddedPerClient),
		schedule: newSchedule(l),
		page:     template.Must(template.New("owner").Parse(ownerText)), // a test renders it
		wakeup:   make(chan struct{}, 1),
		unknown:  make(chan string, maxUnknown),
	}
	f.current.Store(&opts)
	if u, err := url.Parse(opts.URL); err == nil {
		f.host = u.Host
	}
	return f
}

// Reload replaces UserAgent, DefaultLease, MinLease, MaxLease, TopicLeases, Badges, ContentBytes, Timeout, FirstRetry and
// AddTopic, and ignores the other options.
func (f *Front) Reload(opts FrontOptions) {
	opts = opts.withDefaults()
	f.current.Store(&opts)
}

const (
	maxForm        = 16 << 10         // bytes
	requestTimeout = 10 * time.Second // for the store and the topics
)

// ServeHTTP handles a request to the hub. The response never depends on the callback, which is verified later.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), requestTimeout)
	defer cancel()
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	mode, err := f.handle(ctx, w, r)
	result := requestAccepted
	if err != nil {
		result = f.reject(w, mode, err)
	}
	if mode != "" || err != nil {
		f.metrics.requested(mode, result)
	}
}

// handle handles a request. It returns the mode as far as it could be read, and an error if the request is rejected.
func (f *Front) handle(ctx context.Context, w http.ResponseWriter, r *http.Request) (mode feed.HubMode, err error) {
	client := clientOf(r, f.opts.IsProxy)
	if wait := f.clients.Take(client, f.opts.Now()); wait > 0 {
		return "", limited(wait, "too many requests from your address; retry later")
	}
	switch r.Method {
	case http.MethodPost:
		return f.post(ctx, w, r, client)
	case http.MethodGet, http.MethodHead:
		query := r.URL.Query()
		switch mode := websub.ModeOf(query); mode {
		case "":
			w.Header().Set("Vary", "Accept")
			if wantsPage(r) {
				f.writePage(w, http.StatusOK, &ownerView{})
			} else {
				_, _ = io.WriteString(w, f.about()) // fails only if the client disconnected
			}
			return "", nil
		case websub.Retrieve:
			return mode, f.retrieve(ctx, w, r, query)
		case websub.Badge:
			return mode, f.badge(ctx, w, query)
		}
	}
	w.Header().Set("Allow", "GET, HEAD, POST")
	return "", rejected(http.StatusMethodNotAllowed, "hub.mode: must be sent by POST, in a form")
}

func (f *Front) post(ctx context.Context, w http.ResponseWriter, r *http.Request, client string) (feed.HubMode, error) {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if query := r.URL.Query(); mediaType != "application/x-www-form-urlencoded" && websub.ModeOf(query) == websub.Publish {
		return websub.Publish, f.publishContent(ctx, w, r, query)
	}
	if err != nil || mediaType != "application/x-www-form-urlencoded" {
		return "", rejected(http.StatusUnsupportedMediaType, "Content-Type: must be application/x-www-form-urlencoded")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return "", rejected(http.StatusRequestEntityTooLarge, fmt.Sprintf("the form must not be larger than %d bytes", maxForm))
		}
		return "", rejected(http.StatusBadRequest, "the form cannot be parsed")
	}
	form := r.PostForm // without the query, which proxies log
	mode := websub.ModeOf(form)
	if wantsPage(r) && slices.Contains([]feed.HubMode{websub.List, websub.Replay, websub.Test}, mode) {
		return mode, f.serveOwner(ctx, w, r, mode, form)
	}
	switch mode {
	case feed.HubSubscribe, feed.HubUnsubscribe:
		return mode, f.request(ctx, w, r, form)
	case websub.Publish:
		return mode, f.publish(ctx, w, form, client)
	case websub.List:
		return mode, f.list(ctx, w, r, form)
	case websub.Replay:
		return mode, f.replay(ctx, w, r, form)
	case websub.Test:
		return mode, f.test(ctx, w, r, form)
	default:
		return mode, rejected(http.StatusBadRequest, "hub.mode: must be subscribe, unsubscribe or publish")
	}
}
