package ingest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

func TestPushAndPollAtOnceGiveAnEntryOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, dial store.DialFunc) {
		rounds := 60
		if strings.HasSuffix(t.Name(), "/memory") {
			rounds = 12 // it interprets scripts slowly
		}
		p := pushTo(t, setting{allow: loopback(), dial: dial})
		asked := p.subscribe()
		var guids []string
		for round := range rounds {
			guids = append(guids, fmt.Sprint("round", round))
			body := p.publish(guids[max(0, len(guids)-20):]...)
			p.clock.advance(time.Minute)
			if err := p.store.Sources.PollSource(t.Context(), p.source().ID, 0); err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup
			all.Go(func() { _, _ = p.in.PollDue(context.WithoutCancel(t.Context())) })
			for range 2 {
				all.Go(func() {
					req, _ := http.NewRequest(http.MethodPost, asked.Get("hub.callback"), strings.NewReader(body))
					req.Header.Set(websub.SignatureHeader, websub.Sign(websub.SHA256, asked.Get("hub.secret"), []byte(body)))
					resp, err := p.daemon.Client().Do(req)
					if err != nil {
						t.Error(err)
						return
					}
					resp.Body.Close()
					if resp.StatusCode != http.StatusAccepted {
						t.Errorf("round %d: delivery got %d", round, resp.StatusCode)
					}
				})
			}
			all.Wait()
		}
		p.counts(1 + len(guids))
		if got := p.inState(feed.PushActive); got.Pushes != 2*rounds {
			t.Errorf("got %+v", got)
		}
	})
}

// dueIn is the time to the next poll.
func (p *pushed) dueIn() time.Duration {
	p.t.Helper()
	next, err := p.store.Sources.NextDue(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	return next.Sub(p.clock.Now())
}

func TestPingRightAfterAPollWaitsForThreeSeconds(t *testing.T) {
	p := push(t, loopback())
	asked := p.subscribe()
	p.clock.advance(time.Second)
	p.publish("1", "2")
	for range 5 { // a hub that repeats itself changes nothing
		if code := p.deliver(asked, websub.SHA256, ""); code != http.StatusAccepted {
			t.Errorf("got %d", code)
		}
		if got := p.dueIn(); got != 2*time.Second {
			t.Errorf("due in %v", got)
		}
	}
	if got := p.source().Poll.NextReason; got != "its hub says that there is something new" {
		t.Errorf("the reason is %q", got)
	}
	p.clock.advance(2 * time.Second)
	p.poll()
	p.counts(2)
	if got := p.dueIn(); got != 12*time.Hour {
		t.Errorf("after the poll it is due in %v", got)
	}
	if err := p.store.Sources.PollSource(t.Context(), p.source().ID, 0); err != nil || p.dueIn() != personsFloor {
		t.Errorf("for a person it is due in %v, %v", p.dueIn(), err)
	}
	p.deliver(asked, websub.SHA256, "") // whoever may come first
	if got := p.dueIn(); got != 3*time.Second {
		t.Errorf("for its hub it is due in %v", got)
	}
}

func TestPingsDoNotPressAServerInTrouble(t *testing.T) {
	for name, c := range map[string]struct {
		header http.Header
		want   time.Duration
	}{
		"failing":     {http.Header{}, time.Minute},
		"Retry-After": {http.Header{"Retry-After": {"7200"}}, 2 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			p := push(t, loopback())
			asked := p.subscribe()
			p.clock.advance(time.Hour)
			p.set(func() { p.header, p.status = c.header, http.StatusServiceUnavailable })
			p.poll()
			if code := p.deliver(asked, websub.SHA256, ""); code != http.StatusAccepted {
				t.Errorf("got %d", code)
			}
			if got := p.dueIn(); got != c.want {
				t.Errorf("due in %v, want %v", got, c.want)
			}
		})
	}
}

// proxy is a forward proxy that counts what it carries, by method and host.
func proxy(t *testing.T) (*httptest.Server, func() map[string]int) {
	t.Helper()
	var mu sync.Mutex
	carried := map[string]int{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		carried[r.Method+" "+r.URL.Host]++
		mu.Unlock()
		r.RequestURI = ""
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	}))
	t.Cleanup(func() {
		s.Close()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	return s, func() map[string]int {
		mu.Lock()
		defer mu.Unlock()
		return carried
	}
}

func TestHubRequestsUseTheProxyOfTheSource(t *testing.T) {
	through, carried := proxy(t)
	p := pushTo(t, setting{allow: loopback(), source: feed.Source{Request: feed.Request{
		Proxy: through.URL, Username: "ann", Password: "pa55", Headers: map[string]string{"X-Key": "k3y"},
	}}})
	p.set(func() {
		p.answer = func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "" || r.Header.Get("X-Key") != "" {
				t.Errorf("the hub was told the secrets of the source: %v", r.Header)
			}
			w.WriteHeader(http.StatusAccepted)
		}
	})
	asked := p.subscribe()
	p.clock.advance(time.Minute)
	p.deliver(asked, websub.SHA256, "")
	p.poll()
	hub, origin := "POST "+strings.TrimPrefix(p.hub.URL, "http://"), "GET "+strings.TrimPrefix(p.origin.URL, "http://")
	if got := carried(); got[hub] != 1 || got[origin] != 2 || len(got) != 2 {
		t.Errorf("the proxy carried %v", got)
	}
	if err := p.store.Sources.RemoveSource(t.Context(), p.source().ID, 0); err != nil {
		t.Fatal(err)
	}
	p.turn() // the hub is told, and the proxy that was removed with the source gets no request
	if got := p.request(2); got.Get("hub.mode") != "unsubscribe" || carried()[hub] != 1 {
		t.Errorf("asked for %v; the proxy carried %v", got, carried())
	}
}

func TestHubHasTheTimeoutOfTheSource(t *testing.T) {
	p := pushTo(t, setting{allow: loopback(), source: feed.Source{Request: feed.Request{Timeout: time.Second}}})
	begun := time.Now()
	p.set(func() {
		p.answer = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	})
	p.poll()
	p.turn()
	if got := p.inState(feed.PushPending); got.Errors != 1 || !strings.Contains(got.ErrorText, "too long") {
		t.Errorf("got %+v", got)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("the hub was waited for %v", took)
	}
}

func TestFiltersHoldForWhatIsPushed(t *testing.T) {
	storetest.Engines(t, func(t *testing.T, dial store.DialFunc) {
		settings := feed.Source{Filters: feed.Filters{Block: []feed.Filter{{Field: feed.FilterTitle, Match: "noise"}}}}
		p := pushTo(t, setting{allow: loopback(), dial: dial, source: settings})
		asked := p.subscribe()
		p.clock.advance(time.Hour)
		p.poll()
		deliver := func(result string, guids ...string) {
			t.Helper()
			before := counterValue(t, p.reg, "feedwire_push_deliveries_total", result)
			if code := p.deliver(asked, websub.SHA256, p.publish(guids...)); code != http.StatusAccepted {
				t.Errorf("got %d", code)
			}
			if n := counterValue(t, p.reg, "feedwire_push_deliveries_total", result); n != before+1 {
				t.Errorf("%v did not count as %s", guids, result)
			}
		}
		deliver("new_entries", "1", "2", "noise3")
		p.counts(2)
		deliver("unchanged", "noise4") // no reason to look at the source
		p.publish("1", "2", "noise3", "noise4")
		if got := p.dueIn(); got != 12*time.Hour {
			t.Errorf("due in %v", got)
		}
		p.clock.advance(12 * time.Hour)
		p.poll()
		p.counts(2)

		// What the filters kept out comes in when they are gone, and the hub, which had pushed it, is not blamed.
		settings.URL, settings.Filters = p.source().URL, feed.Filters{}
		if _, _, err := p.store.Sources.AddSource(t.Context(), settings); err != nil {
			t.Fatal(err)
		}
		p.clock.advance(12 * time.Hour)
		p.poll()
		p.counts(4)
		if got := p.inState(feed.PushActive); got.Missed != 0 {
			t.Errorf("the hub is blamed: %+v", got)
		}
		p.publish("1", "2", "5")
		p.clock.advance(12 * time.Hour)
		p.poll()
		p.inState(feed.PushSilent)
	})
}

// An adaptive interval is lengthened twelvefold while the hub pushes, up to a day, is as it was once a poll finds what
// was not pushed, and long again when the next push comes.
func TestPushStretchesTheAdaptiveInterval(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, dial store.DialFunc) {
		p := pushTo(t, setting{allow: loopback(), dial: dial, adaptive: true})
		guids := []string{"1"}
		post := func() string {
			guids = append(guids, fmt.Sprint(len(guids)+1))
			return p.publish(guids...)
		}
		for range 12 { // half a day of a post each hour
			p.set(func() { p.body = strings.ReplaceAll(p.body, `rel="hub"`, `rel="none"`) })
			p.poll()
			p.clock.advance(max(time.Hour, p.dueIn()))
			post()
		}
		p.set(func() { p.body = strings.ReplaceAll(p.body, `rel="hub"`, `rel="none"`) })
		p.poll()
		usual := p.dueIn()
		if usual < 20*time.Minute || usual > 2*time.Hour {
			t.Fatalf("a source with a post an hour is polled every %v", usual)
		}
		p.clock.advance(usual)
		p.publish(guids...)
		asked := p.subscribe()
		p.clock.advance(p.dueIn())
		p.poll()
		slow := p.dueIn()
		if min(12*usual, 24*time.Hour)-slow > time.Hour || slow > 24*time.Hour {
			t.Errorf("beside push it is polled every %v, and every %v without", slow, usual)
		}
		for range 3 { // pushes make no difference to it, and none to each other
			p.clock.advance(time.Minute)
			if code := p.deliver(asked, websub.SHA256, post()); code != http.StatusAccepted {
				t.Errorf("got %d", code)
			}
		}
		p.clock.advance(p.dueIn())
		p.poll()
		if again := p.dueIn(); again < slow-time.Hour || again > slow+time.Hour {
			t.Errorf("after pushes it is polled every %v, before every %v", again, slow)
		}
		p.inState(feed.PushActive)

		post()
		p.clock.advance(p.dueIn())
		p.poll()
		p.inState(feed.PushSilent)
		if got := p.dueIn(); got > 2*usual || got < usual/2 {
			t.Errorf("once the hub has missed a post it is polled every %v, not every %v", got, usual)
		}
		if code := p.deliver(asked, websub.SHA256, post()); code != http.StatusAccepted {
			t.Errorf("got %d", code)
		}
		p.inState(feed.PushActive)
		p.clock.advance(p.dueIn())
		p.poll()
		if got := p.dueIn(); got < 8*usual {
			t.Errorf("when it pushes again the source is polled every %v", got)
		}
		p.counts(len(guids))
	})
}

// A hub that confirms every renewal and brings nothing is found out by the first poll that finds a post.
func TestHubThatOnlyRenewsIsFoundOut(t *testing.T) {
	p := push(t, loopback())
	p.subscribe()
	confirm := func(asked url.Values) {
		if code, _ := p.get(asked.Get("hub.callback"), p.verify(feed.HubSubscribe, "86400")); code != http.StatusOK {
			t.Errorf("a renewal got %d", code)
		}
	}
	p.clock.advance(time.Hour)
	p.poll()
	published := p.clock.Now().Add(5 * 24 * time.Hour)
	var found time.Time
	for p.clock.Now().Before(published.Add(24 * time.Hour)) {
		before := len(p.asked)
		p.turn()
		if len(p.asked) > before {
			confirm(p.asked[len(p.asked)-1])
		}
		if p.clock.Now().Equal(published) {
			p.publish("1", "2")
		}
		if _, err := p.in.PollDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		if found.IsZero() && p.source().Push.State == feed.PushSilent {
			found = p.clock.Now()
			if got := p.dueIn(); got != time.Hour {
				t.Errorf("polling goes on in %v", got)
			}
		}
		p.clock.advance(time.Hour)
	}
	if found.IsZero() || found.Sub(published) > 12*time.Hour {
		t.Errorf("the silence of %v was found out at %v", published, found)
	}
	if got := p.dueIn(); got > time.Hour {
		t.Errorf("a day later it is polled in %v", got)
	}
	p.counts(2)
}

func TestSilentHubsKeepNoOtherHubWaiting(t *testing.T) {
	p := pushTo(t, setting{allow: loopback(), source: feed.Source{Request: feed.Request{Timeout: time.Minute}}})
	for i := range 8 {
		url := fmt.Sprintf("%s/other%d", p.origin.URL, i)
		if _, _, err := p.store.Sources.AddSource(t.Context(), feed.Source{URL: url, Request: feed.Request{Timeout: time.Minute}}); err != nil {
			t.Fatal(err)
		}
	}
	for range 9 {
		if _, err := p.in.PollDue(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	asked := make(chan struct{}, 9)
	p.set(func() {
		p.answer = func(_ http.ResponseWriter, r *http.Request) {
			asked <- struct{}{}
			<-r.Context().Done()
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- p.sub.Run(ctx) }()
	for i := range 9 {
		select {
		case <-asked:
		case <-time.After(time.Minute): // eight are asked at once, and the ninth when they have moved aside
			t.Fatalf("only %d hubs were asked", i)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
