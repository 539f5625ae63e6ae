package ingest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/ingest/parser"
	"github.com/feedwire/feedwire/store/feed"
)

// Trace polls one source now, as Run does, and returns the steps of the poll. If full is true, it parses the document even if
// it is unchanged. A failed poll is not an error; the trace describes the failure. Errors: feed.ErrNotFound if the source
// does not exist, feed.ErrConflict if it must not be polled now.
func (in *Ingester) Trace(ctx context.Context, id string, full bool) (feed.Trace, error) {
	claim, err := in.store.ClaimSource(ctx, id, in.opts.Lease)
	if err != nil {
		return feed.Trace{}, err
	}
	claim.Source.Poll.FullRequested = claim.Source.Poll.FullRequested || full
	trace := &feed.Trace{Source: claim.Source.URL}
	start := in.opts.Now()
	finishing, cancel := settle(ctx)
	defer cancel()
	in.poll(ctx, finishing, &claim, trace)
	if trace.After == nil {
		return feed.Trace{}, errors.New("the poll was cancelled; the log has the reason")
	}
	trace.DurationMS = in.opts.Now().Sub(start).Milliseconds()
	return *trace, nil
}

// traceResponse records the request and the response. state is that before the poll.
func (o *outcome) traceResponse(state *feed.PollState) {
	trace := o.request.Trace
	if trace == nil {
		return
	}
	trace.URL, trace.Why, trace.Bytes = o.request.URL, whyConditional(state, o.request), len(o.response.Body)
	switch {
	case o.response.NotModified:
		trace.Document = "not sent: by its validators it is still that of " + state.LastDocument.UTC().Format("2 Jan 2006 15:04:05") + " UTC"
	case o.err != nil && trace.Bytes > 0:
		trace.Document = "incomplete: reading it ended after these bytes"
	}
}

// whyConditional returns why a request was conditional or not.
func whyConditional(p *feed.PollState, r fetch.Request) string {
	conditional := func(r feed.TraceRequest) bool {
		return r.Sent["If-None-Match"] != "" || r.Sent["If-Modified-Since"] != ""
	}
	switch {
	case slices.ContainsFunc(r.Trace.Requests, conditional):
		return "conditional: only a document that has changed is wanted"
	case p.FullRequested:
		return "in full: a person requested it"
	case p.LastDocument.IsZero():
		return "in full: there is no document yet"
	case r.Full && p.Generation != generation:
		return "in full: this version parses documents differently"
	case r.Full:
		return "in full: nothing new has come for 14 days, so the validators may be wrong"
	}
	return "in full: the server gave no validators for this URL the last time"
}

// tracePage records the feeds that a document links to if it is a page.
func tracePage(raw parser.Raw, err error, trace *feed.Trace) {
	if trace == nil || feed.ClassOf(err) != feed.FailureNotAFeed {
		return
	}
	if page, err := url.Parse(raw.URL); err == nil {
		trace.Found = distinct(pageCandidates(raw.Body, raw.ContentType, page))
	}
}

// traceDocument records the document and the effect of saving it, newest entry first.
func (in *Ingester) traceDocument(ctx context.Context, claim feed.Claim, parsed *parser.Parsed, trace *feed.Trace) {
	if trace == nil {
		return
	}
	doc := &parsed.Document
	trace.Document = fmt.Sprintf("%s in %s, called %q, entries: %d", doc.Format, parsed.Encoding, doc.About.Title, len(doc.Entries))
	if len(parsed.Repairs) > 0 {
		trace.Document += "; repaired: " + strings.Join(parsed.Repairs, ", ")
	}
	if was := claim.Source.Poll.Identity; was != "" && was != parsed.Identity {
		trace.Document += fmt.Sprintf("; from now on %s identifies its entries, because several have the same %s", parsed.Identity, was)
	}
	verdicts, err := in.store.CompareEntries(ctx, claim.Source, *doc)
	switch {
	case errors.Is(err, feed.ErrDamaged):
		trace.Document += "; not compared with the stored entries"
		return // the error of the poll names the key
	case err != nil:
		trace.Document += "; comparison failed: " + feed.ShortLine(err.Error())
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

// whyVerdict returns the reason of a verdict.
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
	case feed.VerdictTakenDown:
		return "it was taken down, and is not stored again while the source lists it"
	case feed.VerdictSame:
		why += " and nothing differs"
	}
	if c.Unsignalled {
		why += "; stored without a signal of its own"
	}
	return why
}
