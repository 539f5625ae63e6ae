package wiretest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/xml"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"

	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
)

// Ledger counts the complete responses that held each article, as crawlers received them.
type Ledger struct {
	mu   sync.Mutex
	Seen map[string]int
}

// Add counts one response.
func (l *Ledger) Add(guids []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range guids {
		l.Seen[g]++
	}
}

// Crawl fetches a feed and returns its guids.
func Crawl(c *http.Client, url, agent string) ([]string, error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", agent)
	resp, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %s", resp.Status)
	}
	return lastDocument.decode(body)
}

// decoded is a document and its guids. Crawlers of one feed mostly get the same document, and under the race detector decoding takes
// longer than serving.
type decoded struct {
	mu    sync.Mutex
	body  []byte
	guids []string
}

var lastDocument decoded

func (d *decoded) decode(body []byte) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.body == nil || !bytes.Equal(body, d.body) {
		var doc Document
		if err := xml.Unmarshal(body, &doc); err != nil {
			return nil, err
		}
		d.body, d.guids = body, doc.GUIDs
	}
	return slices.Clone(d.guids), nil
}

// Abort requests the feed in an encoding, reads n bytes of the response and closes the connection.
func Abort(address, encoding string, n int64) error {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := fmt.Fprintf(c, "GET /feed/production HTTP/1.1\r\nHost: x\r\nUser-Agent: %s\r\nAccept-Encoding: %s\r\nConnection: close\r\n\r\n",
		Facebook, encoding); err != nil {
		return err
	}
	_, err = io.CopyN(io.Discard, c, n)
	return err
}

// PublishArticle publishes an article in an outgoing feed.
func PublishArticle(ctx context.Context, s *store.Store, uuid, typ string) error {
	_, err := s.Articles.Decide(ctx, rand.Text(), []feed.Decision{{UUID: uuid, Type: typ, Publish: true}})
	return err
}
