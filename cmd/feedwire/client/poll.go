package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/store/feed"
)

// Poll polls a source and waits until the poll ends.
func Poll(ctx context.Context, c *Client, source string, full bool) (feed.Source, error) {
	path := "/api/v1/sources/" + Path(source)
	var before, s feed.Source
	if err := c.Call(ctx, http.MethodGet, path, nil, &before); err != nil {
		return s, err
	}
	if err := c.Call(ctx, http.MethodPost, path+"/poll"+pollQuery(url.Values{}, full), nil, &s); err != nil {
		return s, err
	}
	const patience = 2 * time.Minute
	if wait := time.Until(s.Poll.NextPoll); wait > patience && s.Poll.LastPoll.Equal(before.Poll.LastPoll) {
		return s, fmt.Errorf("%s was polled %s; to spare its server it is polled again in %v", s.URL,
			terminal.Ago(s.Poll.LastPoll), wait.Round(time.Second))
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return s, fmt.Errorf("the poll of %s has not ended: %w; look again with feedwire source show", before.URL, ctx.Err())
		}
		if err := c.Call(ctx, http.MethodGet, path, nil, &s); err != nil {
			return s, err
		}
		if s.Poll.LastPoll.After(before.Poll.LastPoll) {
			return s, nil
		}
	}
}

// traceTime bounds a traced poll: the longest timeout of a source and the time of the store.
const traceTime = 12 * time.Minute

// PollTraced polls a source and returns every step.
func PollTraced(ctx context.Context, c *Client, source string, full bool) (feed.Trace, error) {
	patient := c.WithTimeout(traceTime)
	var trace feed.Trace
	err := patient.Call(ctx, http.MethodPost, "/api/v1/sources/"+Path(source)+"/poll"+pollQuery(url.Values{"trace": {"1"}}, full), nil, &trace)
	return trace, err
}

// pollQuery returns the query of a request for a poll.
func pollQuery(query url.Values, full bool) string {
	if full {
		query.Set("full", "1")
	}
	return "?" + query.Encode()
}
