package sources

import (
	"fmt"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/publish/web"
	"github.com/feedwire/feedwire/store/feed"
)

// tracePage is the data of trace.html.
type tracePage struct {
	web.Frame
	ID, Name string
	Took     string
	Trace    feed.Trace
	Requests []requestBlock
	Mood     string
	Headline string
	Next     web.Moment
}

// requestBlock is one request of a trace.
type requestBlock struct {
	feed.TraceRequest
	Number int
	Facts  web.Facts
}

// traceByForm polls a source at once and shows each step.
func (ss *Sources) traceByForm(w http.ResponseWriter, r *http.Request) error {
	id, trace, err := ss.trace(w, r, false)
	if err != nil {
		return err
	}
	now := ss.web.Now()
	page := tracePage{ID: id, Name: trace.Source, Trace: trace, Took: web.Length(time.Duration(trace.DurationMS) * time.Millisecond)}
	if trace.DurationMS < 1000 {
		page.Took = fmt.Sprintf("%d ms", trace.DurationMS)
	}
	page.Mood, page.Headline = "well", "The poll succeeded."
	if s := trace.After; s != nil {
		page.Name, page.Next = s.Name(), web.Exactly(s.Poll.NextPoll, now)
		if s.Poll.ErrorClass != "" {
			page.Mood, page.Headline = "trouble", "The poll failed: "+s.Poll.ErrorText
		}
	}
	for i := range trace.Requests {
		page.Requests = append(page.Requests, requestBlockOf(i+1, trace.Requests[i]))
	}
	page.Title = "Poll of " + page.Name
	return ss.web.Render(w, r, "trace.html", &page)
}

func requestBlockOf(n int, q feed.TraceRequest) requestBlock {
	block := requestBlock{TraceRequest: q, Number: n}
	block.Facts.Text("Proxy", q.Proxy)
	for _, a := range q.Addresses {
		block.Facts.Text("Address "+a.Address, a.Verdict)
	}
	if q.Reused {
		block.Facts.Text("Connection", "reused")
	}
	block.Facts.Text("TLS", q.TLS)
	block.Facts.Text("Encoding", q.Encoding)
	if q.FirstByte > 0 {
		block.Facts.Text("First byte after", fmt.Sprintf("%d ms", q.FirstByte))
	}
	return block
}
