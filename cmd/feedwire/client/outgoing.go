package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/feedwire/feedwire/cmd/feedwire/terminal"
	"github.com/feedwire/feedwire/store/feed"
)

// Outgoing fetches an outgoing feed in the format of a name, with the credentials of its configuration; nil: there are none. The request
// is not counted.
func (c *Client) Outgoing(ctx context.Context, name string, f *feed.Outgoing) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Base+"/feed/"+Path(name), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Sec-Purpose", "prefetch")
	if f != nil && f.Username != "" {
		req.SetBasicAuth(f.Username, f.Password)
	}
	resp, err := c.Http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // read to the end or given up
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxResponse))
	switch {
	case err != nil:
		return nil, fmt.Errorf("fetch feed %s: %w", name, err)
	case resp.StatusCode == http.StatusUnauthorized:
		return nil, fmt.Errorf("feed %s requires a password; set --config to the configuration of the daemon", name)
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("fetch feed %s: %s", name, terminal.OneLine(strings.TrimSpace(string(body))))
	}
	return body, nil
}
