package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"github.com/feedwire/feedwire/publish/desk"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestPagesOfArticlesAskTheStoreThreeTimesAndAreLight(t *testing.T) {
	const articles, mostAsked, mostBytes = 10_000, 3, 100_000
	reg := prometheus.NewRegistry()
	s := storetest.New(t, store.Options{Dial: storetest.Redis(t), Registerer: reg, Timeout: 20 * time.Second})
	ctx, now, uuid := t.Context(), time.Now(), ""
	var writing errgroup.Group
	writing.SetLimit(16)
	for i := range articles {
		guid := fmt.Sprint("g", i)
		a := feed.Article{
			UUID: feed.ArticleUUID("https://s.example/feed.xml", guid), FeedURL: "https://s.example/feed.xml", GUID: guid, Title: "A title of some length " + guid,
			Content: "<p>Some text of a story.</p>", Digest: guid, Updated: now, Canonical: "https://s.example/" + guid,
		}
		if uuid = a.UUID; i == articles-1 {
			a.Content = strings.Repeat(a.Content, 1000)
		}
		writing.Go(func() error {
			_, err := s.SaveArticle(ctx, a)
			if err == nil && i%20 == 0 {
				_, err = s.Publish(ctx, a.UUID, "production", "")
			}
			return err
		})
	}
	if err := writing.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := s.AddAccount(ctx, feed.Account{Name: "ann", Role: feed.RoleAdmin, Created: now}); err != nil {
		t.Fatal(err)
	}
	if err := s.AddSession(ctx, feed.Session{Sum: feed.SecretSum("secret"), Account: "ann", Created: now, Seen: now}); err != nil {
		t.Fatal(err)
	}
	feeds := []feed.Outgoing{{Type: "production", RetireAfter: 4, Window: feed.DefaultWindow}, {Type: "development", RetireAfter: 4, Window: feed.DefaultWindow}}
	handler := desk.New(s, desk.Options{Feeds: feeds, SignIn: desk.SignIn{Store: s}}).Handler()
	for _, path := range []string{
		"/articles", "/articles?feed=production&state=published", "/articles?q=g77", "/articles?q=nothing", "/articles?state=held", "/articles/" + uuid,
	} {
		var took time.Duration
		var times float64
		var body []byte
		for try := range 5 { // the first one warms up; others run beside this test
			before, start := exchanges(t, reg), time.Now()
			req := httptest.NewRequest(http.MethodGet, path, nil)
			req.AddCookie(&http.Cookie{Name: "feedwire", Value: "ann:secret"})
			rec := httptest.NewRecorder()
			handler.ServeHTTP(rec, req)
			if rec.Code != http.StatusOK {
				t.Fatalf("GET %s: %d %.300s", path, rec.Code, rec.Body)
			}
			if once := time.Since(start); try == 0 || once < took {
				took = once
			}
			times, body = exchanges(t, reg)-before, rec.Body.Bytes()
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(body)
		_ = w.Close()
		t.Logf("%-40s %v exchanges, %s, %d bytes, %d packed", path, times, took.Round(100*time.Microsecond), len(body), packed.Len())
		if times > mostAsked {
			t.Errorf("%s asks the store %v times, want at most %d", path, times, mostAsked)
		}
		if len(body) > mostBytes {
			t.Errorf("%s has %d bytes, want at most %d", path, len(body), mostBytes)
		}
	}
}
