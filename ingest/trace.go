package ingest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/store/feed"
)

// Trace polls one source now, as Run would, and tells what happened step by step; full: its document is read anew, changed
// or not. A poll that fails is no error: the trace tells why. feed.ErrNotFound: there is no such source; feed.ErrConflict: it must not be polled now.
func (in *Ingester) Trace(ctx context.Context, id string, full bool) (feed.Trace, error) {
	claim, err := in.store.ClaimSource(ctx, id, in.opts.Lease)
	if err != nil {
		return feed.Trace{}, err
	}
	claim.Source.Poll.FullRequested = claim.Source.Poll.FullRequested || full
	trace := &feed.Trace{Source: claim.Source.URL}
	begun := in.opts.Now()
	settled, cancel := settle(ctx)
	defer cancel()
	in.poll(ctx, settled, &claim, trace)
	if trace.After == nil {
		return feed.Trace{}, errors.New("the poll was broken off; the log has the reason")
	}
	trace.DurationMS = in.opts.Now().Sub(begun).Milliseconds()
	return *trace, nil
}

// tell writes down what was asked for and what came, where there is a trace; known is the state before.
func (o *outcome) tell(known *feed.PollState) {
	trace := o.errand.trace
	if trace == nil {
		return
	}
	trace.URL, trace.Why, trace.Bytes = o.errand.url, whySent(known, o.errand), len(o.answer.body)
	switch {
	case o.answer.notModified:
		trace.Document = "not sent: by its validators it is still that of " + known.LastDocument.UTC().Format("2 Jan 2006 15:04:05") + " UTC"
	case o.err != nil && trace.Bytes > 0:
		trace.Document = "not whole: reading it ended after these bytes"
	}
}

// whySent says why a request was conditional or not.
func whySent(p *feed.PollState, what errand) string {
	conditional := func(r feed.TraceRequest) bool {
		return r.Sent["If-None-Match"] != "" || r.Sent["If-Modified-Since"] != ""
	}
	switch {
	case slices.ContainsFunc(what.trace.Requests, conditional):
		return "conditional: only a document that has changed is wanted"
	case p.FullRequested:
		return "in full: somebody asked for that"
	case what.full && p.Generation != generation && !p.LastDocument.IsZero():
		return "in full: this version reads documents in another way than the one before"
	case what.full && !p.LastDocument.IsZero():
		return "in full: nothing new has come for 14 days, so the validators are doubted"
	case p.LastDocument.IsZero():
		return "in full: there is no document yet"
	}
	return "in full: the server gave no validators for this URL the last time"
}

// tellUnread adds to the trace which feeds are named by a page that came instead of one.
func tellUnread(raw parser.Raw, err error, trace *feed.Trace) {
	if trace == nil || feed.ClassOf(err) != feed.FailureNotAFeed {
		return
	}
	if page, err := url.Parse(raw.URL); err == nil {
		trace.Found = distinct(pageCandidates(raw.Body, raw.ContentType, page))
	}
}

// compared tells what saving the document will do, newest entry first.
func (in *Ingester) compared(ctx context.Context, claim feed.Claim, parsed *parser.Parsed, trace *feed.Trace) {
	if trace == nil {
		return
	}
	doc := &parsed.Document
	trace.Document = fmt.Sprintf("%s in %s, called %q, entries: %d", parsed.Document.Format, parsed.Encoding, doc.About.Title, len(doc.Entries))
	if len(parsed.Repairs) > 0 {
		trace.Document += "; mended: " + strings.Join(parsed.Repairs, ", ")
	}
	if was := claim.Source.Poll.Identity; was != "" && was != parsed.Identity {
		trace.Document += fmt.Sprintf("; from now on its entries are told apart by %s, because several have the same %s", parsed.Identity, was)
	}
	verdicts, err := in.store.CompareEntries(ctx, claim.Source, *doc)
	if err != nil {
		trace.Document += "; they could not be compared: " + feed.ShortLine(err.Error())
		return
	}
	trace.More = max(0, len(doc.Entries)-feed.TraceEntries)
	for i, e := range slices.Backward(doc.Entries) {
		if i < trace.More {
			break
		}
		trace.Entries = append(trace.Entries, feed.TraceEntry{
			GUID: e.GUID, Title: e.Title, Verdict: verdicts[i].Verdict, Why: whyVerdict(verdicts[i]),
		})
	}
}

// whyVerdict puts a comparison into words.
func whyVerdict(c feed.Comparison) string {
	why := "its guid is known"
	switch c.MatchedBy {
	case feed.MatchAlias:
		why = "its guid is another spelling of one that is known"
	case feed.MatchLink:
		why = "its guid is new, but link and day are those of an entry that is known"
	case feed.MatchTitle:
		why = "its guid is new, but title and day are those of an entry that has left the document"
	}
	switch c.Verdict {
	case feed.VerdictNew:
		why = "its guid is not known"
	case feed.VerdictChanged:
		why += " and differs in " + strings.Join(c.Changed, ", ")
	case feed.VerdictExpired:
		return "its guid was stored, has expired, and is not stored again while the source lists it"
	case feed.VerdictSame:
		why += " and nothing differs"
	}
	if c.Unsignalled {
		why += "; stored without a signal of its own"
	}
	return why
}

// shown are the header fields of an answer that decide what a poller does.
func shown() []string {
	return []string{
		"Etag", "Last-Modified", "Cache-Control", "Expires", "Age", "Date", "Retry-After", "Location", "Content-Type",
		"Content-Length", "Content-Encoding", "Server", "Link", "Www-Authenticate",
	}
}

// recorder is a transport that writes down each request and what came of it.
type recorder struct {
	next   http.RoundTripper
	source *feed.Source
	trace  *feed.Trace
}

// RoundTrip sends the request and writes it down.
func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	entry := feed.TraceRequest{URL: req.URL.Redacted(), Sent: r.sent(req), Got: map[string]string{}}
	if proxy := proxyFrom(req.Context()); proxy != nil {
		entry.Proxy = proxy.Redacted()
	}
	var seen sighting
	begun := time.Now()
	resp, err := r.next.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), seen.hooks())))
	entry.FirstByte = time.Since(begun).Milliseconds()
	seen.tell(&entry)
	if err != nil {
		entry.Error = plainly(err)
		r.trace.Requests = append(r.trace.Requests, entry)
		return nil, err
	}
	entry.Status = feed.ShortLine(resp.Status)
	if entry.Encoding = resp.Header.Get("Content-Encoding"); resp.Uncompressed {
		entry.Encoding = "gzip"
	}
	for _, name := range shown() {
		if value := resp.Header.Get(name); value != "" {
			entry.Got[name] = feed.ShortLine(value)
		}
	}
	r.trace.Requests = append(r.trace.Requests, entry)
	return resp, nil
}

// sent is the header of a request without its secrets.
func (r *recorder) sent(req *http.Request) map[string]string {
	fields := make(map[string]string, len(req.Header))
	for name := range req.Header {
		fields[name] = req.Header.Get(name)
	}
	for name := range r.source.Request.Headers {
		if name = http.CanonicalHeaderKey(name); fields[name] != "" {
			fields[name] = "(hidden)"
		}
	}
	if fields["Authorization"] != "" {
		fields["Authorization"] = "(hidden)"
	}
	return fields
}

// sighting is what can be seen of a connection. Its hooks may be called at once, and after the request has ended.
type sighting struct {
	mu        sync.Mutex // guards all below; held while one is read or written
	addresses []feed.TraceAddress
	reused    bool
	tls       string
	sent      bool // the header, at least
}

func (s *sighting) hooks() *httptrace.ClientTrace {
	locked := func(f func()) {
		s.mu.Lock()
		defer s.mu.Unlock()
		f()
	}
	return &httptrace.ClientTrace{
		DNSDone: func(info httptrace.DNSDoneInfo) {
			locked(func() {
				for _, a := range info.Addrs {
					s.addresses = append(s.addresses, feed.TraceAddress{Address: a.String(), Verdict: "not tried"})
				}
			})
		},
		ConnectDone: func(_, address string, err error) {
			outcome := "connected"
			if err != nil {
				outcome = plainly(err)
			}
			locked(func() { s.tried(address, outcome) })
		},
		GotConn: func(info httptrace.GotConnInfo) {
			locked(func() {
				if s.reused = info.Reused; s.reused {
					s.addresses = []feed.TraceAddress{{Address: info.Conn.RemoteAddr().String(), Verdict: "connected before"}}
				}
				if conn, ok := info.Conn.(*tls.Conn); ok {
					s.tls = describeTLS(conn.ConnectionState())
				}
			})
		},
		WroteHeaders: func() { locked(func() { s.sent = true }) },
		TLSHandshakeDone: func(state tls.ConnectionState, err error) {
			locked(func() {
				if s.tls = describeTLS(state); err != nil {
					s.tls = "nothing: the handshake failed"
				}
			})
		},
	}
}

// plainly says why a request, or an attempt to connect, failed, without the addresses that stand beside it.
func plainly(err error) string {
	if own, ok := errors.AsType[*feed.Failure](err); ok {
		return feed.ShortLine(own.Error())
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return "no answer in time"
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	return feed.ShortLine(err.Error())
}

// tried sets the verdict on an address, host:port.
func (s *sighting) tried(address, outcome string) {
	host, _, _ := net.SplitHostPort(address)
	for i := range s.addresses {
		if s.addresses[i].Address == host {
			s.addresses[i] = feed.TraceAddress{Address: address, Verdict: outcome}
			return
		}
	}
	s.addresses = append(s.addresses, feed.TraceAddress{Address: address, Verdict: outcome})
}

func (s *sighting) tell(entry *feed.TraceRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entry.Addresses, entry.Reused, entry.TLS, entry.Unsent = slices.Clone(s.addresses), s.reused, s.tls, !s.sent
}

// describeTLS says how a connection is protected and until when its certificate holds.
func describeTLS(state tls.ConnectionState) string {
	text := tls.VersionName(state.Version)
	if len(state.PeerCertificates) > 0 {
		leaf := state.PeerCertificates[0]
		text += fmt.Sprintf(", certificate for %s by %s until %s", strings.Join(leaf.DNSNames, " "), leaf.Issuer.CommonName,
			leaf.NotAfter.UTC().Format(time.DateOnly))
	}
	return feed.ShortLine(text)
}
