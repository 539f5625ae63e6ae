//go:build faults

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/publish"
	"github.com/feedwire/feedwire/publish/arrival"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// early answers as a proxy that takes all at once would: the publisher believes that its answer is out before the first byte
// is. What counts then counts before the response has ended.
func early(publisher http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		whole := httptest.NewRecorder()
		publisher.ServeHTTP(whole, r.WithContext(context.WithoutCancel(r.Context())))
		for name, values := range whole.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(whole.Code)
		_, _ = bytes.NewReader(whole.Body.Bytes()).WriteTo(w)
	})
}

// answered serves a feed from a real Redis, over a line that cuts and heals, to crawlers of which some break off. It
// tells how the impressions of an article differ from the whole answers that held it; empty: they do not. What wrap makes
// of the publisher is served; nil: the publisher as the daemon serves it.
func answered(t *testing.T, wrap func(publisher http.Handler) http.Handler) (wrong string) {
	t.Helper()
	redis := storetest.RedisAOF(t)
	line := storetest.NewLine(t, redis.Dial)
	own, over := storetest.New(t, store.Options{Dial: redis.Dial}), storetest.New(t, store.Options{Dial: line.Dial})
	const articles = 8
	for n := range articles {
		a := feed.Article{
			UUID: feed.ArticleUUID("http://harbour.example/", fmt.Sprint(n)), Title: fmt.Sprintf("Story %d", n), Digest: "one",
			Canonical: fmt.Sprintf("http://harbour.example/%d", n), Content: "<p>" + strings.Repeat("Text of it. ", 3_000) + "</p>",
		}
		_, err := own.Articles.SaveArticle(t.Context(), a)
		if err == nil {
			err = wiretest.PublishArticle(t.Context(), own, a.UUID, "production")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	outgoing := feed.Outgoing{
		Type: "production", Profile: "instant-articles", Window: feed.DefaultWindow, RetireAfter: 40, Counted: []string{"facebook"},
	}
	publisher := publish.New(over.Articles, []feed.Outgoing{outgoing}, publish.Options{Dir: t.TempDir()})
	mux := http.NewServeMux()
	mux.Handle("/feed/{type}", publisher)
	receipts := arrival.NewWatcher(0)
	server := &http.Server{Handler: mux, ConnContext: receipts.ConnContext}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if wrap == nil {
		listener = receipts.Listener(listener)
	} else {
		server.Handler = wrap(mux)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = publisher.Run(ctx) })
	running.Go(func() { _ = server.Serve(listener) })
	url := "http://" + address + "/feed/production"
	wiretest.Eventually(t, "served", func() bool { // from now on there is a copy, whatever becomes of Redis
		guids, err := wiretest.Crawl(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, url, "curl/8")
		return err == nil && len(guids) == articles
	})
	saw := wiretest.Ledger{Seen: make(map[string]int)}
	var crawlers sync.WaitGroup
	for n := range 4 {
		crawlers.Go(func() {
			c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			for range 6 {
				if n%2 == 0 {
					_ = wiretest.Abort(address, "identity", 4000) // nothing to tell: it breaks off
				} else if guids, err := wiretest.Crawl(c, url, wiretest.Facebook); err == nil {
					saw.Add(guids)
				}
			}
		})
	}
	for range 4 {
		line.Disturb("limit_data", map[string]int{"bytes": 50_000})
		line.Heal()
	}
	crawlers.Wait()
	_ = server.Close()
	cancel()
	running.Wait() // all that is proved is recorded
	for uuid, n := range saw.Seen {
		a, err := own.Articles.Article(t.Context(), uuid, []string{"production"})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(a.Feeds["production"].Impressions); got != n {
			return fmt.Sprintf("ledger: %d impressions, and %d whole answers", got, n)
		}
	}
	if len(saw.Seen) != articles {
		t.Errorf("%d of %d articles were seen", len(saw.Seen), articles)
	}
	return ""
}

// Impressions are those of answers that came whole, whatever becomes of the others and of Redis. A publisher that counts
// before the answer has ended is found out.
func TestFaultsAnswers(t *testing.T) {
	if wrong := answered(t, nil); wrong != "" {
		t.Error(wrong)
	}
	wrong := answered(t, early)
	if wrong == "" {
		t.Error("the checks do not detect impressions that are recorded before the response has ended")
	}
	t.Logf("mutant: recorded before the response ended, caught by %s", wrong)
}
