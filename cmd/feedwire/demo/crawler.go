package demo

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"time"
)

// crawlResult is the result of one fetch of an outgoing feed.
type crawlResult struct {
	Status      int    // HTTP status; 0: no response
	Items       int    // in the document
	Bytes       int    // of the body
	Impressions string // from X-Feedwire-Impressions
	Err         error
}

// maxCrawl is the maximum size of a response in bytes.
const maxCrawl = 16 << 20

// crawl fetches an RSS feed repeatedly until ctx ends, as the consumer of Instant Articles would, and reports each complete
// fetch.
func crawl(ctx context.Context, feedURL string, every time.Duration, report func(crawlResult)) {
	client := &http.Client{Transport: &http.Transport{}, Timeout: 10 * time.Second}
	defer client.CloseIdleConnections()
	tick := time.Tick(every)
	for {
		var result crawlResult
		result.Err = result.fetch(ctx, client, feedURL)
		if ctx.Err() != nil {
			return
		}
		report(result)
		select {
		case <-ctx.Done():
			return
		case <-tick:
		}
	}
}

// fetch fetches the feed and counts its items.
func (c *crawlResult) fetch(ctx context.Context, client *http.Client, feedURL string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, feedURL, nil)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", "facebookexternalhit/1.1")
	req.Close = true // a closed connection proves that the response arrived
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	c.Status, c.Impressions = resp.StatusCode, resp.Header.Get("X-Feedwire-Impressions")
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxCrawl))
	if err != nil {
		return fmt.Errorf("read %s: %w", feedURL, err)
	}
	c.Bytes = len(body)
	if c.Status != http.StatusOK {
		return nil
	}
	var document struct {
		Items []struct{} `xml:"channel>item"`
	}
	if err := xml.Unmarshal(body, &document); err != nil {
		return fmt.Errorf("parse %s: %w", feedURL, err)
	}
	c.Items = len(document.Items)
	return nil
}
