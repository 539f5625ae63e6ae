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
	if err := c.Call(ctx, http.MethodPost, pollPath(source, full, false), nil, &s); err != nil {
		return s, err
	}
	const patience = 2 * time.Minute
	if wait := time.Until(s.Poll.NextPoll); wait > patience && s.Poll.LastPoll.Equal(before.Poll.LastPoll) {
		return s, fmt.Errorf("%s was polled %s; to protect its server, it is polled again in %v", s.URL,
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
			return s, fmt.Errorf("the poll of %s has not ended: %w; check it later with feedwire source show", before.URL, ctx.Err())
		}
		s = feed.Source{} // a response omits empty members
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
	var trace feed.Trace
	err := c.WithTimeout(traceTime).Call(ctx, http.MethodPost, pollPath(source, full, true), nil, &trace)
	return trace, err
}

// pollPath returns the path of a request for a poll.
func pollPath(source string, full, trace bool) string {
	query := url.Values{}
	for name, set := range map[string]bool{"full": full, "trace": trace} {
		if set {
			query.Set(name, "1")
		}
	}
	return "/api/v1/sources/" + Path(source) + "/poll?" + query.Encode()
}
