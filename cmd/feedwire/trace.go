package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// traceTime bounds a traced poll: the longest that a source may take, and what the store takes.
const traceTime = 12 * time.Minute

// pollTraced polls a source while the daemon writes down what happens.
func pollTraced(ctx context.Context, c *client, source string, full bool) (feed.Trace, error) {
	patient := *c
	patient.http = &http.Client{Timeout: traceTime}
	var trace feed.Trace
	err := patient.call(ctx, http.MethodPost, "/api/v1/sources/"+id(source)+"/poll"+pollQuery(url.Values{"trace": {"1"}}, full), nil, &trace)
	return trace, err
}

// pollQuery is the query of a request for a poll.
func pollQuery(query url.Values, full bool) string {
	if full {
		query.Set("full", "1")
	}
	return "?" + query.Encode()
}

// printTrace tells a poll in the order in which it happened.
func printTrace(w io.Writer, t *feed.Trace, now time.Time) {
	row(w, "source", t.Source)
	if t.Asked != t.Source {
		row(w, "asked at", t.Asked+", where it has moved to")
	}
	row(w, "request", t.Why)
	for i := range t.Requests {
		printRequest(w, i+1, &t.Requests[i])
	}
	if t.Bytes > 0 {
		row(w, "body", fmt.Sprintf("%d bytes, decompressed", t.Bytes))
	}
	if t.Document != "" {
		row(w, "document", t.Document)
	}
	for _, f := range t.Found {
		row(w, "  names a feed", strings.TrimSpace(cut(f.Title, 60)+"  "+f.URL))
	}
	for _, e := range t.Entries {
		row(w, "  "+string(e.Verdict), cut(e.Title, 40)+"  "+cut(e.GUID, 60)+": "+e.Why)
	}
	if t.More > 0 {
		row(w, "", fmt.Sprintf("and %d older entries", t.More))
	}
	if s := t.After; s != nil {
		if s.Poll.ErrorClass != "" {
			printTrouble(w, &s.Poll)
		}
		row(w, "state", string(s.State()))
		row(w, "next poll", next(s, now)+", "+s.Poll.NextReason)
	}
	row(w, "took", fmt.Sprintf("%d ms", t.Took))
}

func printRequest(w io.Writer, n int, r *feed.TraceRequest) {
	row(w, fmt.Sprintf("%d. GET", n), r.URL)
	if r.Proxy != "" {
		row(w, "  proxy", r.Proxy)
	}
	for _, a := range r.Addresses {
		row(w, "  address", a.Address+": "+a.Verdict)
	}
	if r.TLS != "" {
		row(w, "  protected by", r.TLS)
	}
	if !r.Unsent {
		printFields(w, "  sent", r.Sent)
	}
	switch {
	case r.Error != "":
		row(w, "  failed", r.Error)
	case r.Encoding != "":
		row(w, "  answer", fmt.Sprintf("%s after %d ms, compressed with %s", r.Status, r.FirstByte, r.Encoding))
	default:
		row(w, "  answer", fmt.Sprintf("%s after %d ms", r.Status, r.FirstByte))
	}
	printFields(w, "  got", r.Got)
}

// printFields prints header fields; those that are in every request are left out.
func printFields(w io.Writer, what string, fields map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "Accept" {
			row(w, what, strings.ToValidUTF8(name+": "+fields[name], "?"))
		}
	}
}
