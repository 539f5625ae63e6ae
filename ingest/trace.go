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

// Trace polls one source now, as Run would, and tells what happened step by step; Full: its document is read anew, changed
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
	trace := o.request.Trace
	if trace == nil {
		return
	}
	trace.URL, trace.Why, trace.Bytes = o.request.URL, whySent(known, o.request), len(o.response.Body)
	switch {
	case o.response.NotModified:
		trace.Document = "not sent: by its validators it is still that of " + known.LastDocument.UTC().Format("2 Jan 2006 15:04:05") + " UTC"
	case o.err != nil && trace.Bytes > 0:
		trace.Document = "not whole: reading it ended after these bytes"
	}
}

// whySent says why a request was conditional or not.
func whySent(p *feed.PollState, what fetch.Request) string {
	conditional := func(r feed.TraceRequest) bool {
		return r.Sent["If-None-Match"] != "" || r.Sent["If-Modified-Since"] != ""
	}
	switch {
	case slices.ContainsFunc(what.Trace.Requests, conditional):
		return "conditional: only a document that has changed is wanted"
	case p.FullRequested:
		return "in Full: somebody asked for that"
	case what.Full && p.Generation != generation && !p.LastDocument.IsZero():
		return "in Full: this version reads documents in another way than the one before"
	case what.Full && !p.LastDocument.IsZero():
		return "in Full: nothing new has come for 14 days, so the validators are doubted"
	case p.LastDocument.IsZero():
		return "in Full: there is no document yet"
	}
	return "in Full: the server gave no validators for this URL the last time"
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
