package ingest_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/store/feed"
)

// traced polls a source of a memory store with a trace.
func traced(t *testing.T, in *ingest.Ingester, url string) feed.Trace {
	t.Helper()
	trace, err := in.Trace(t.Context(), url, false)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func TestTraceTellsEveryStep(t *testing.T) {
	body := rss("<item><guid>1</guid><title>One</title></item><item><guid>2</guid><title>Two</title></item>")
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/feed":
			http.Redirect(w, r, "/there", http.StatusFound)
		case r.Header.Get("If-None-Match") == `"1"` && !strings.Contains(body, "edited"):
			w.WriteHeader(http.StatusNotModified)
		default:
			w.Header().Set("ETag", `"1"`)
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			_, _ = io.WriteString(z, body)
		}
	}))
	defer origin.Close()
	url := origin.URL + "/feed"
	store := newMemory(url)
	store.sources[url].Request = feed.Request{Username: "u", Password: "s3cret", Headers: map[string]string{"X-Key": "s3cret"}}
	in := ingest.New(store, ingest.Options{Fetch: fetch.Options{AllowNetworks: loopback()}})
	defer in.Transport().CloseIdleConnections()

	first := traced(t, in, url)
	if !strings.Contains(first.Why, "no document yet") || len(first.Requests) != 2 || first.Bytes != len(body) || len(first.Entries) != 2 ||
		!strings.Contains(first.Document, "entries: 2") {
		t.Fatalf("got %+v", first)
	}
	hop, last := first.Requests[0], first.Requests[1]
	if hop.Status != "302 Found" || hop.Got["Location"] != "/there" || len(hop.Addresses) != 1 || hop.Addresses[0].Verdict != "connected" ||
		hop.Unsent || hop.Sent["X-Key"] != "(hidden)" || hop.Sent["Authorization"] != "(hidden)" {
		t.Errorf("the first request is %+v", hop)
	}
	if last.Status != "200 OK" || last.Encoding != "gzip" || !last.Reused || last.Got["Etag"] != `"1"` {
		t.Errorf("the second request is %+v", last)
	}
	if e := first.Entries[0]; e.Verdict != feed.VerdictNew || e.Why != "its guid is not known" {
		t.Errorf("got entry %+v", e)
	}
	if first.After == nil || first.After.Poll.NextReason != "first interval" || first.After.Poll.Entries != 2 {
		t.Errorf("afterwards it is %+v", first.After)
	}
	if text, err := json.Marshal(first); err != nil || strings.Contains(string(text), "s3cret") {
		t.Errorf("the trace holds a secret: %s, %v", text, err)
	}

	second := traced(t, in, url)
	if got := second.Requests[1]; got.Status != "304 Not Modified" || got.Sent["If-None-Match"] != `"1"` || !strings.Contains(second.Why, "conditional") {
		t.Errorf("the next time %+v", second)
	}
	body = strings.Replace(body, "Two", "Two, edited", 1)
	third := traced(t, in, url)
	verdicts := map[feed.Verdict]int{}
	for _, e := range third.Entries {
		verdicts[e.Verdict]++
	}
	if verdicts[feed.VerdictChanged] != 1 || verdicts[feed.VerdictSame] != 1 {
		t.Errorf("after an edit %+v", third.Entries)
	}
}

func TestTraceTellsWhyAFailure(t *testing.T) {
	safe := httptest.NewUnstartedServer(http.NotFoundHandler())
	safe.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0) // it complains of the refused handshake
	safe.StartTLS()
	defer safe.Close()
	cases := []struct {
		name, url string
		networks  []netip.Prefix
		class     string
		says      func(feed.Trace) bool
	}{
		{"private address", "http://127.0.0.1:9/", []netip.Prefix{}, "blocked_address", func(t feed.Trace) bool {
			return strings.Contains(t.Requests[0].Addresses[0].Verdict, "fetch.allow_networks")
		}},
		{"a closed port", "http://127.0.0.1:1/", loopback(), "connect", func(t feed.Trace) bool {
			return strings.Contains(t.Requests[0].Addresses[0].Verdict, "refused")
		}},
		{"bad certificate", safe.URL, loopback(), "tls", func(t feed.Trace) bool {
			return strings.Contains(t.Requests[0].TLS, "failed") && t.Requests[0].Error != ""
		}},
		{"no such name", "http://no..such..name/", loopback(), "dns", func(t feed.Trace) bool { return t.Requests[0].Error != "" }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			store := newMemory(c.url)
			got := traced(t, ingest.New(store, ingest.Options{Fetch: fetch.Options{AllowNetworks: c.networks}}), c.url)
			if got.After.Poll.ErrorClass != c.class || len(got.Requests) != 1 || !got.Requests[0].Unsent || !c.says(got) {
				t.Errorf("got %+v, after it %+v", got, got.After.Poll)
			}
		})
	}
	in := ingest.New(newMemory(), ingest.Options{})
	if _, err := in.Trace(t.Context(), "nobody", false); !errors.Is(err, feed.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestLimitIsAFindingOfTheSource(t *testing.T) {
	items := "<item><guid>long</guid><title>" + strings.Repeat("x", 10_000) + "</title></item>"
	for i := range 10 {
		items += fmt.Sprintf("<item><guid>%d</guid></item>", i)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, rss(items)) }))
	defer server.Close()
	reg := prometheus.NewRegistry()
	in := ingest.New(newMemory(server.URL), ingest.Options{MaxEntries: 10, Registerer: reg, Fetch: fetch.Options{AllowNetworks: loopback()}})
	want := []feed.Finding{
		{Class: feed.FindingEntries, Count: 1, Text: "1 entry left out: the document has more than fetch.max_entries, or more than can be read"},
		{Class: feed.FindingTitle, Count: 1, Text: `1 entry with a cut title: it has more than 8 KiB (first: "long")`},
	}
	after := traced(t, in, server.URL).After
	if diff := cmp.Diff(want, after.Poll.Findings); diff != "" || after.State() != feed.SourceActive {
		t.Errorf("the source is %s, its findings (-want +got):\n%s", after.State(), diff)
	}
	for _, class := range []feed.FindingClass{feed.FindingEntries, feed.FindingTitle} {
		if n := counterValue(t, reg, "feedwire_findings_total", string(class)); n != 1 {
			t.Errorf("%v entries of class %s are counted", n, class)
		}
	}
	items = "<item><guid>short</guid></item>"
	if after = traced(t, in, server.URL).After; len(after.Poll.Findings) > 0 {
		t.Errorf("after a document within the limits: %v", after.Poll.Findings)
	}
}
