package daemon

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// 64 crawlers take a feed of 50 articles until it is empty, among clients whose requests do not count. Each article is
// promoted once, and none before four complete answers have held it.
func TestConcurrentCrawlersPromoteExactlyOnce(t *testing.T) {
	t.Parallel()
	redis := storetest.RedisAOF(t)
	d := start(t, redis, "fetch:\n  first_signals: 100\n  allow_networks: [127.0.0.0/8]\n  host_delay: 0s\n  min_interval: 0s\n")
	const articles, crawlers = 50, 64
	body := "<p>" + strings.Repeat("Five kilobytes of text. ", 5000/24) + "</p>"
	items := wiretest.Posts(articles)
	for i := range items {
		items[i].Body = body
	}
	web := wiretest.NewOrigin(t)
	web.Set("/feed.xml", items...)
	src := d.add(web.URL+"/feed.xml", map[string]any{"publish": "auto"})
	wiretest.Eventually(t, "published", func() bool {
		return d.metric("feedwire_article_transitions_total", "to", "published") == articles
	})

	url, address := d.Base+"/feed/production", strings.TrimPrefix(d.Base, "http://")
	saw := wiretest.Ledger{Seen: make(map[string]int)}
	stop := make(chan struct{})
	var noise, crawl sync.WaitGroup
	for _, make := range []func(*http.Client) error{
		func(*http.Client) error { return wiretest.Abort(address, "identity", 1) },
		func(*http.Client) error { return wiretest.Abort(address, "identity", 20_000) },
		func(*http.Client) error { return wiretest.Abort(address, "gzip", 700) },
		func(c *http.Client) error { _, err := wiretest.Crawl(c, url, "Mozilla/5.0 Firefox/140.0"); return err },
		func(c *http.Client) error {
			req, err := http.NewRequest(http.MethodHead, url, nil)
			if err != nil {
				return err
			}
			req.Header.Set("User-Agent", wiretest.Facebook)
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
			transport := &http.Transport{DisableKeepAlives: i%2 == 0}
			c := &http.Client{Transport: transport}
			if i%4 < 2 {
				c.Transport = ranged{transport} // the feed is sent whole all the same
			}
			defer c.CloseIdleConnections()
			for {
				guids, err := wiretest.Crawl(c, url, wiretest.Facebook)
				if err != nil {
					t.Error(err)
					return
				}
				if len(guids) == 0 {
					return
				}
				saw.Add(guids)
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
		if n := saw.Seen[uuid]; n < feed.ImportAfter {
			t.Errorf("article %s is imported after %d complete answers", uuid, n)
		}
	}
}

// ranged requests a part only.
type ranged struct{ *http.Transport }

func (t ranged) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Range", "bytes=0-99")
	return t.Transport.RoundTrip(r)
}
