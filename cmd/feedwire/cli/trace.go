package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/store/feed"
)

// printTrace prints the steps of a poll in order.
func printTrace(w io.Writer, t *feed.Trace) {
	row(w, "source", t.Source)
	if t.URL != t.Source {
		row(w, "requested", t.URL+", its new URL")
	}
	row(w, "request", t.Why)
	for i := range t.Requests {
		printRequest(w, i+1, &t.Requests[i])
	}
	if t.Bytes > 0 {
		row(w, "body", fmt.Sprintf("%d bytes, decompressed", t.Bytes))
	}
	rowIf(w, "document", t.Document)
	for _, f := range t.Found {
		row(w, "  feed link", strings.TrimSpace(terminal.Cut(f.Title, 60)+"  "+f.URL))
	}
	for _, e := range t.Entries {
		row(w, "  "+string(e.Verdict), terminal.Cut(e.Title, 40)+"  "+terminal.Cut(e.GUID, 60)+": "+e.Why)
	}
	if t.More > 0 {
		row(w, "", fmt.Sprintf("%d older entries", t.More))
	}
	if s := t.After; s != nil {
		printPollError(w, &s.Poll)
		row(w, "state", s.State())
		row(w, "next poll", nextPoll(s)+", "+s.Poll.NextReason)
	}
	row(w, "took", fmt.Sprintf("%d ms", t.DurationMS))
}

func printRequest(w io.Writer, n int, r *feed.TraceRequest) {
	row(w, fmt.Sprintf("%d. GET", n), r.URL)
	rowIf(w, "  proxy", r.Proxy)
	for _, a := range r.Addresses {
		row(w, "  address", a.Address+": "+a.Verdict)
	}
	rowIf(w, "  TLS", r.TLS)
	if !r.Unsent {
		printFields(w, "  sent", r.Sent)
	}
	switch {
	case r.Error != "":
		row(w, "  failed", r.Error)
	case r.Encoding != "":
		row(w, "  response", fmt.Sprintf("%s after %d ms, compressed with %s", r.Status, r.FirstByte, r.Encoding))
	default:
		row(w, "  response", fmt.Sprintf("%s after %d ms", r.Status, r.FirstByte))
	}
	printFields(w, "  received", r.Got)
}

// printFields prints header fields, except those of every request.
func printFields(w io.Writer, what string, fields map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "Accept" {
			row(w, what, strings.ToValidUTF8(name+": "+fields[name], "?"))
		}
	}
}
