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
	Status      int      // HTTP status; 0: no answer
	GUIDs       []string // of the items, in the order of the document
	Titles      []string // likewise
	Impressions string   // what the daemon said in X-Feedwire-Impressions
	Bytes       int      // of the body
	Took        time.Duration
	Err         error
}

// maxCrawl is the maximum size of a response in bytes.
const maxCrawl = 16 << 20

// crawl fetches an RSS feed repeatedly until ctx ends, as the consumer of Instant Articles would, and reports each complete
// fetch.
func crawl(ctx context.Context, feedURL string, every time.Duration, report func(crawlResult)) {
	client := &http.Client{Transport: &http.Transport{}, Timeout: 10 * time.Second}
	defer client.CloseIdleConnections()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		result := fetchFeed(ctx, client, feedURL)
		if ctx.Err() != nil {
			return
		}
		report(result)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func fetchFeed(ctx context.Context, client *http.Client, feedURL string) (result crawlResult) {
	start := time.Now()
	defer func() { result.Took = time.Since(start) }()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, feedURL, nil)
	if err != nil {
		result.Err = err
		return result
	}
	req.Header.Set("User-Agent", "facebookexternalhit/1.1")
	req.Close = true // an answer has arrived for certain when its connection is closed
	resp, err := client.Do(req)
	if err != nil {
		result.Err = err
		return result
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end below, or given up
	result.Status, result.Impressions = resp.StatusCode, resp.Header.Get("X-Feedwire-Impressions")
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxCrawl))
	result.Bytes = len(body)
	switch {
	case err != nil:
		result.Err = fmt.Errorf("read %s: %w", feedURL, err)
	case resp.StatusCode == http.StatusOK:
		result.Err = result.read(body)
	}
	return result
}

// read parses the items of a document.
func (c *crawlResult) read(body []byte) error {
	var document struct {
		Items []struct {
			Title string `xml:"title"`
			GUID  string `xml:"guid"`
		} `xml:"channel>item"`
	}
	if err := xml.Unmarshal(body, &document); err != nil {
		return fmt.Errorf("read the feed: %w", err)
	}
	for _, item := range document.Items {
		c.GUIDs = append(c.GUIDs, item.GUID)
		c.Titles = append(c.Titles, item.Title)
	}
	return nil
}
