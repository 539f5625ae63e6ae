package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feedwire/feedwire/publish/desk"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// What a page may take of the store and of the time, with manySources sources.
const (
	manySources   = 2000
	mostExchanges = 3
	mostTime      = 50 * time.Millisecond
)

// crowded is a store with much of everything, and the cookie of somebody who may see all of it.
func crowded(t *testing.T, reg prometheus.Registerer) (s *store.Store, cookie *http.Cookie) {
	t.Helper()
	s = storetest.New(t, store.Options{Dial: storetest.Redis(t), Registerer: reg, Timeout: 20 * time.Second})
	ctx, now := t.Context(), time.Now()
	for i := range manySources {
		_, _, err := s.AddSource(ctx, feed.Source{
			URL: fmt.Sprintf("https://s%04d.example/feed.xml", i), Feeds: []string{"production"}, About: feed.About{Title: fmt.Sprintf("Source %d", i)},
			Request: feed.Request{Headers: map[string]string{"X-Key": "k"}}, Categories: []string{"News/Local"},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 200 {
		guid := fmt.Sprint("g", i)
		e := feed.Entry{FeedURL: "https://s0001.example/feed.xml", GUID: guid, Title: "T", Content: "<p>text</p>", Timestamp: now.Add(time.Duration(i) * time.Second)}
		if err := s.SaveEntry(ctx, &e); err != nil {
			t.Fatal(err)
		}
		a := feed.Article{UUID: feed.ArticleUUID(e.FeedURL, guid), FeedURL: e.FeedURL, GUID: guid, Title: "T", Digest: e.Digest(), Updated: now}
		if _, err := s.SaveArticle(ctx, a); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Publish(ctx, a.UUID, "production", ""); err != nil {
			t.Fatal(err)
		}
		sub := feed.Subscription{
			Topic: fmt.Sprintf("https://s%04d.example/feed.xml", i%100), Callback: fmt.Sprintf("https://c%d.example/", i), Way: feed.WayWebSub,
		}
		if err := s.Subscribe(ctx, &sub); err != nil {
			t.Fatal(err)
		}
	}
	fail(t, s, 100)
	visits := make([]feed.Visit, feed.VisitsKept)
	for i := range visits {
		visits[i] = feed.Visit{Time: now.Add(time.Duration(i-len(visits)) * 30 * time.Second), Client: "facebook", Status: 200, Counted: true}
	}
	if err := s.AddVisits(ctx, "production", visits); err != nil {
		t.Fatal(err)
	}
	if err := s.AddAccount(ctx, feed.Account{Name: "ann", Role: feed.RoleAdmin, Created: now}); err != nil {
		t.Fatal(err)
	}
	if err := s.AddSession(ctx, feed.Session{Sum: feed.SecretSum("secret"), Account: "ann", Created: now, Seen: now}); err != nil {
		t.Fatal(err)
	}
	return s, &http.Cookie{Name: "feedwire", Value: "ann:secret"}
}

// fail has the polls of so many sources fail.
func fail(t *testing.T, s *store.Store, many int) {
	t.Helper()
	claims, err := s.ClaimSources(t.Context(), many, time.Minute)
	if err != nil || len(claims) != many {
		t.Fatalf("claimed %d, %v", len(claims), err)
	}
	for i, c := range claims {
		state := feed.PollState{Errors: i, ErrorClass: "timeout", ErrorText: "no answer", NextPoll: time.Now().Add(time.Hour)}
		if err := s.FinishPoll(t.Context(), c, feed.Polled{State: state, Poll: feed.Poll{Time: time.Now(), Class: "timeout"}}); err != nil {
			t.Fatal(err)
		}
	}
}

// exchanges is how often the store was asked so far.
func exchanges(t *testing.T, reg prometheus.Gatherer) (n float64) {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == "feedwire_redis_commands_total" {
			for _, m := range family.GetMetric() {
				n += m.GetCounter().GetValue()
			}
		}
	}
	return n
}

func TestPagesAreQuickHoweverMuchThereIs(t *testing.T) {
	reg := prometheus.NewRegistry()
	s, cookie := crowded(t, reg)
	held := make([]string, 200)
	for i := range held {
		held[i] = feed.ArticleUUID("https://s0001.example/feed.xml", fmt.Sprint("g", i))
	}
	d := desk.New(s, desk.Options{
		Feeds: []feed.Outgoing{{Type: "production", RetireAfter: feed.ImportAfter, Window: feed.DefaultWindow}}, Hub: s, SignIn: desk.SignIn{Store: s},
		Held: func(string) []string { return held }, HeldBack: func(*feed.Article, string) string { return "it has no text" },
	})
	signals, err := s.RecentSignals(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	some, err := s.Subscriptions(t.Context(), "", "", 1)
	if err != nil {
		t.Fatal(err)
	}
	handler := d.Handler()
	for _, path := range []string{
		"/", "/sources", "/sources?q=source+19", "/sources?state=active&page=7", "/sources/" + feed.SourceID("https://s0001.example/feed.xml"), "/feeds",
		"/feeds/production", "/signals", "/signals?kind=post_created&q=s0001", "/signals?q=nothing", "/signals/" + signals[0].ID, "/subscriptions",
		"/subscriptions?topic=" + feed.TopicID(some[0].Topic), "/dead-letters", "/settings",
	} {
		var took time.Duration
		var asked float64
		for try := range 5 { // the first one warms up; others run beside this test
			before, start := exchanges(t, reg), time.Now()
			req := httptest.NewRequest(http.MethodGet, path, nil)
			req.AddCookie(cookie)
			rec := httptest.NewRecorder()
			handler.ServeHTTP(rec, req)
			if rec.Code != http.StatusOK {
				t.Fatalf("GET %s: %d %.300s", path, rec.Code, rec.Body)
			}
			if once := time.Since(start); try == 0 || once < took {
				took = once
			}
			asked = exchanges(t, reg) - before
		}
		t.Logf("%-40s %d exchanges, %s", path, int(asked), took.Round(100*time.Microsecond))
		if asked > mostExchanges {
			t.Errorf("%s asks the store %v times, want at most %d", path, asked, mostExchanges)
		}
		if took > mostTime && !raceEnabled {
			t.Errorf("%s takes %s, want at most %s", path, took, mostTime)
		}
	}
}
