package demo

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
)

// crawlResult is the result of one fetch of an outgoing feed.
type crawlResult struct {
	Status      int    // HTTP status; 0: no response
	Items       int    // in the document
	Bytes       int    // of the body
	Impressions string // from X-Feedwire-Impressions
}

// maxCrawl is the maximum size of a response in bytes.
const maxCrawl = 16 << 20

// fetch fetches an RSS feed as the consumer of Instant Articles would, and counts its items.
func fetch(ctx context.Context, client *http.Client, feedURL string) (c crawlResult, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, feedURL, nil)
	if err != nil {
		return c, err
	}
	req.Header.Set("User-Agent", "facebookexternalhit/1.1")
	req.Close = true // a closed connection proves that the response arrived
	resp, err := client.Do(req)
	if err != nil {
		return c, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	c.Status, c.Impressions = resp.StatusCode, resp.Header.Get("X-Feedwire-Impressions")
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxCrawl))
	if err != nil {
		return c, fmt.Errorf("read %s: %w", feedURL, err)
	}
	c.Bytes = len(body)
	if c.Status != http.StatusOK {
		return c, nil
	}
	var document struct {
		Items []struct{} `xml:"channel>item"`
	}
	if err := xml.Unmarshal(body, &document); err != nil {
		return c, fmt.Errorf("parse %s: %w", feedURL, err)
	}
	c.Items = len(document.Items)
	return c, nil
}
