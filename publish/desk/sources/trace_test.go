package sources_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/feedwire/feedwire/publish/desk/sources"
	"github.com/feedwire/feedwire/publish/web/webtest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestTraceIsShownStepByStep(t *testing.T) {
	d, _ := newDesk(t, func(opts *sources.Options) {
		opts.Trace = func(_ context.Context, id string, _ bool) (feed.Trace, error) {
			after := feed.Source{ID: id, URL: storetest.Site, Poll: feed.PollState{NextPoll: webtest.Noon()}}
			return feed.Trace{
				Source: storetest.Site, Why: "conditional: it had an ETag", DurationMS: 1234, Document: "RSS 2.0 in utf-8", After: &after,
				Requests: []feed.TraceRequest{{URL: storetest.Site, Status: "200 OK", Sent: map[string]string{"User-Agent": "feedwire"}, TLS: "TLS 1.3",
					Addresses: []feed.TraceAddress{{Address: "192.0.2.1", Verdict: "connected"}}, Got: map[string]string{"ETag": `"7"`}}},
				Entries: []feed.TraceEntry{{GUID: "g", Title: "Ferry", Verdict: feed.VerdictNew, Why: "its guid is new"}},
			}, nil
		}
	})
	b := d.As(t, "ed", feed.RoleEditor)
	rec := b.Send(http.MethodPost, "/sources/"+feed.SourceID(storetest.Site)+"/trace", nil)
	webtest.InOrder(t, rec.Body.String(), "took 1 s", "The poll succeeded.", "RSS 2.0 in utf-8", "conditional: it had an ETag", "Request 1", "200 OK",
		"192.0.2.1", "connected", "TLS 1.3", "User-Agent", "ETag", "Ferry", "new", "its guid is new")
}
