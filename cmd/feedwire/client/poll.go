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

// Poll polls a source and waits until the poll ends. query may have full=1.
func Poll(ctx context.Context, c *Client, source string, query url.Values) (feed.Source, error) {
	path := "/api/v1/sources/" + Path(source)
	var before, s feed.Source
	if err := c.Call(ctx, http.MethodGet, path, nil, &before); err != nil {
		return s, err
	}
	if err := c.Call(ctx, http.MethodPost, path+"/poll?"+query.Encode(), nil, &s); err != nil {
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
