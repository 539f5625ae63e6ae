package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// ledger counts, as the crawlers saw it, how many complete answers held each article.
type ledger struct {
	mu   sync.Mutex
	seen map[string]int
}

func (l *ledger) add(guids []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range guids {
		l.seen[g]++
	}
}

// crawlOnce takes a feed whole, and tells what it held.
func crawlOnce(c *http.Client, url, agent string) ([]string, error) {
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
	var doc rssDocument
	return doc.GUIDs, xml.Unmarshal(body, &doc)
}

// abort asks for the feed, reads n bytes of the answer and resets the connection.
func abort(address string, n int64) error {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := fmt.Fprintf(c, "GET /feed/production HTTP/1.1\r\nHost: x\r\nUser-Agent: %s\r\nConnection: close\r\n\r\n", facebook); err != nil {
		return err
	}
	_, err = io.CopyN(io.Discard, c, n)
	return err
}

// 64 crawlers take a feed of 50 articles until it is empty, among clients whose requests do not count. Each article is
// promoted once, and none before four complete answers have held it.
func TestConcurrentCrawlersPromoteExactlyOnce(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	d := start(t, redis, "fetch:\n  first_signals: 100\n  allow_networks: [127.0.0.0/8]\n  host_delay: 0s\n  min_interval: 0s\n")
	const articles, crawlers = 50, 64
	body := "<p>" + strings.Repeat("Five kilobytes of text. ", 5000/24) + "</p>"
	items := posts(articles)
	for i := range items {
		items[i].body = body
	}
	web := newOrigin(t)
	web.set("/feed.xml", items...)
	src := d.add(web.URL+"/feed.xml", map[string]any{"publish": "auto"})
	eventually(t, "published", func() bool {
		return d.metric("feedwire_article_transitions_total", "to", "published") == articles
	})

	url, address := d.base+"/feed/production", strings.TrimPrefix(d.base, "http://")
	saw := ledger{seen: make(map[string]int)}
	stop := make(chan struct{})
	var noise, crawl sync.WaitGroup
	for _, make := range []func(*http.Client) error{
		func(*http.Client) error { return abort(address, 1) },
		func(*http.Client) error { return abort(address, 20_000) },
		func(c *http.Client) error { _, err := crawlOnce(c, url, "Mozilla/5.0 Firefox/140.0"); return err },
		func(c *http.Client) error {
			req, err := http.NewRequest(http.MethodHead, url, nil)
			if err != nil {
				return err
			}
			req.Header.Set("User-Agent", facebook)
			resp, err := c.Do(req)
			if err == nil {
				_ = resp.Body.Close()
			}
			return err
		},
	} {
		noise.Go(func() {
			c := &http.Client{Transport: &http.Transport{}}
			defer c.CloseIdleConnections()
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := make(c); err != nil && !errors.Is(err, io.EOF) { // a feed that is empty is shorter than what abort reads
					t.Errorf("a client whose request does not count: %v", err)
					return
				}
			}
		})
	}
	for i := range crawlers {
		crawl.Go(func() {
			c := &http.Client{Transport: &http.Transport{DisableKeepAlives: i%2 == 0}}
			defer c.CloseIdleConnections()
			for {
				guids, err := crawlOnce(c, url, facebook)
				if err != nil {
					t.Error(err)
					return
				}
				if len(guids) == 0 {
					return
				}
				saw.add(guids)
			}
		})
	}
	crawl.Wait()
	close(stop)
	noise.Wait()

	storetest.Check(t, redis.Dial, []string{"production", "development"}, feed.ImportAfter)
	if n := d.metric("feedwire_article_transitions_total", "to", "imported"); n != articles {
		t.Errorf("%v promotions of %d articles", n, articles)
	}
	if n := d.metric("feedwire_impressions_total", "outcome", "counted"); n != articles*feed.ImportAfter {
		t.Errorf("%v impressions of %d articles", n, articles)
	}
	for i := range articles {
		uuid := feed.ArticleUUID(src.URL, fmt.Sprintf("p%d", i))
		if n := saw.seen[uuid]; n < feed.ImportAfter {
			t.Errorf("article %s is imported after %d complete answers", uuid, n)
		}
	}
}
