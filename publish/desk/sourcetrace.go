package desk

import (
	"fmt"
	"net/http"
	"time"

	"github.com/feedwire/feedwire/store/feed"
)

// tracePage is what the template shows.
type tracePage struct {
	frame
	ID, Name string
	Took     string
	Trace    feed.Trace
	Requests []requestBlock
	Mood     string
	Headline string
	Next     moment
}

// requestBlock is one request of a trace.
type requestBlock struct {
	Number        int
	URL, Status   string
	Facts         facts
	Sent, Got     map[string]string
	Unsent, Error string
}

// traceByForm polls a source at once and shows each step.
func (d *Desk) traceByForm(w http.ResponseWriter, r *http.Request) error {
	id, err := sourceID(r)
	if err != nil {
		return err
	}
	if d.opts.Trace == nil {
		return fmt.Errorf("this daemon cannot trace a poll: %w", feed.ErrConflict)
	}
	// As for the API: the poll has its own bound. Where no deadline can be set, there is none.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(maxTimeout + time.Minute))
	trace, err := d.opts.Trace(r.Context(), id, false)
	if err != nil {
		return err
	}
	now := d.opts.Now()
	page := tracePage{ID: id, Name: trace.Source, Trace: trace, Took: length(time.Duration(trace.Took) * time.Millisecond), Mood: "well"}
	if trace.Took < 1000 {
		page.Took = fmt.Sprintf("%d ms", trace.Took)
	}
	page.Headline = "The poll succeeded."
	if s := trace.After; s != nil {
		page.Name, page.Next = nameOf(s), exactly(s.Poll.NextPoll, now)
		if s.Poll.ErrorClass != "" {
			page.Mood, page.Headline = "trouble", "The poll failed: "+s.Poll.ErrorText
		}
	}
	for i := range trace.Requests {
		page.Requests = append(page.Requests, requestBlockOf(i+1, &trace.Requests[i]))
	}
	page.frame = d.frame(r, "Poll of "+page.Name+" – feedwire", 0)
	d.render(w, r, http.StatusOK, "trace.html", page)
	return nil
}

func requestBlockOf(n int, q *feed.TraceRequest) requestBlock {
	block := requestBlock{Number: n, URL: q.URL, Status: q.Status, Sent: q.Sent, Got: q.Got, Error: q.Error}
	block.Facts.text("Proxy", q.Proxy)
	for _, a := range q.Addresses {
		block.Facts.text("Address "+a.Address, a.Verdict)
	}
	if q.Reused {
		block.Facts.text("Connection", "an open one served")
	}
	block.Facts.text("TLS", q.TLS)
	block.Facts.text("Encoding", q.Encoding)
	if q.FirstByte > 0 {
		block.Facts.text("First byte after", fmt.Sprintf("%d ms", q.FirstByte))
	}
	if q.Unsent {
		block.Unsent = "Nothing was sent."
	}
	return block
}
