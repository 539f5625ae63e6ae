package hub_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/feedwire/feedwire/signals/hub"
	"github.com/feedwire/feedwire/store/feed"
)

// verificationRows cover verifications and denials (sections 5.2 and 5.3).
func verificationRows() []check {
	rows := []check{
		{"H12 V04 the query of the callback precedes the parameters of the hub", func(r *harness) {
			for _, query := range []string{"k=9f", "z=1&a=2", "hub.mode=mine&hub.challenge=mine", "k", "a=%41+b%20c;d=e", "q=1&", ""} {
				r.subscribe("/cb?" + query)
				all := r.reader.verifications()
				got := all[len(all)-1]
				kept := strings.ReplaceAll(query, "%41", "A")
				r.want(strings.HasPrefix(got.query, kept+"&hub.mode=subscribe&"), "%q became %q", query, got.query)
			}
			r.subscribe("/plain")
			all := r.reader.verifications()
			r.want(strings.HasPrefix(all[len(all)-1].query, "hub.mode=subscribe&"), "no query became %q", all[len(all)-1].query)
		}},
		{"H13 paths are not normalised", func(r *harness) {
			for _, path := range []string{"/a%2Fb", "/a//b/", "/%C3%A9", "/a;b", "/a+b", "/a/../b", "/A%2fb"} {
				r.subscribe(path)
				all := r.reader.verifications()
				r.want(all[len(all)-1].path == path, "%s became %s", path, all[len(all)-1].path)
			}
		}},
		{"H16 N19 the response does not wait for the callback", func(r *harness) {
			release := make(chan struct{})
			r.reader.confirmWith(func(http.ResponseWriter, *http.Request, string) { <-release })
			defer close(release)
			stop := run(r)
			defer stop()
			start := time.Now()
			r.request("subscribe", r.reader.URL+"/cb")
			r.request("subscribe", "http://127.0.0.1:1/dead")
			r.request("subscribe", "http://nobody.invalid/")
			r.want(time.Since(start) < r.patience/4, "answered after %v", time.Since(start))
		}},
		{"H16 N20 the response does not depend on the callback", func(r *harness) {
			for _, status := range []int{200, 404, 500} {
				r.reader.confirmWithStatus(status)
				a := r.post(r.form("subscribe", r.reader.URL+"/cb"))
				b := r.post(r.form("unsubscribe", r.reader.URL+"/cb"))
				r.want(a.status == http.StatusAccepted && b.status == a.status && a.body == b.body, "%d %q and %d %q", a.status, a.body, b.status, b.body)
				r.verify()
			}
		}},
		{"H17 the verification starts at once", func(r *harness) {
			stop := run(r)
			defer stop()
			start := time.Now()
			r.request("subscribe", r.reader.URL+"/cb")
			r.until(func() bool { return len(r.reader.verifications()) == 1 }, "the GET")
			r.want(time.Since(start) < r.patience/2, "after %v", time.Since(start))
		}},
		{"H20 D22 a denied subscriber is informed and gets no more deliveries", func(r *harness) {
			callback := r.subscribe("/cb?k=1")
			r.subscribe("/other")
			r.must(r.store.AddHubRequest(context.Background(), feed.HubRequest{
				Mode: feed.HubDenied, Topic: harbour, Callback: callback, Reason: "no more & no less",
			}, 3))
			r.verify()
			all := r.reader.verifications()
			got := all[len(all)-1]
			r.want(len(all) == 3 && got.path == "/cb" && got.values.Get("k") == "1", "%d GETs, the last one %+v", len(all), got)
			r.want(got.last("hub.mode") == "denied" && got.last("hub.topic") == harbour && got.last("hub.reason") == "no more & no less" &&
				got.last("hub.challenge") == "", "got %s", got.query)
			r.publish(harbour, "<feed>2</feed>")
			r.awaitDeliveries("/other", 1)
			r.awaitDeliveries("/cb", 0)
		}},
		{"H20 a denial ends the subscription of an unreachable callback", func(r *harness) {
			callback := r.subscribe("/cb")
			r.must(r.store.AddHubRequest(context.Background(), feed.HubRequest{Mode: feed.HubDenied, Topic: harbour, Callback: callback}, 3))
			r.reader.Close()
			r.verify()
			r.want(!r.active(callback), "still subscribed")
		}},
		{"H20 a subscription to a removed topic is denied", func(r *harness) {
			r.request("subscribe", r.reader.URL+"/cb")
			r.topics.remove(harbour)
			r.verify()
			all := r.reader.verifications()
			r.want(len(all) == 2 && all[1].last("hub.mode") == "denied" && all[1].last("hub.topic") == harbour, "got %+v", all)
			r.want(!r.active(r.reader.URL+"/cb"), "subscribed")
		}},
		{"H21 V05 the parameters are complete and encoded", func(r *harness) {
			const topic = "http://harbour.example/feed?a=b&c=d%20e+f"
			r.topics.set(topic, "text/plain", "")
			callback := r.reader.URL + "/cb"
			r.request("subscribe", callback, "hub.topic", topic, "hub.lease_seconds", "86400")
			r.verify()
			r.request("unsubscribe", callback, "hub.topic", topic)
			r.verify()
			all := r.reader.verifications()
			r.want(len(all) == 2, "%d GETs, want 2", len(all))
			for i, mode := range []string{"subscribe", "unsubscribe"} {
				v := all[i].values
				r.want(v.Get("hub.mode") == mode && v.Get("hub.topic") == topic && v.Get("hub.challenge") != "", "verified by %s", all[i].query)
			}
			r.want(all[0].values.Get("hub.lease_seconds") == "86400", "the lease is %s", all[0].values.Get("hub.lease_seconds"))
			r.want(!r.active(callback), "still subscribed")
		}},
		{"H22 V08 redirects do not confirm and are not followed", func(r *harness) {
			for _, status := range []int{300, 301, 302, 303, 304, 305, 307, 308} {
				callback := r.reader.URL + "/cb/" + http.StatusText(status)[:3]
				r.reader.confirmWith(func(w http.ResponseWriter, req *http.Request, challenge string) {
					if req.URL.Path == "/elsewhere" {
						_, _ = io.WriteString(w, challenge)
						return
					}
					w.Header().Set("Location", "/elsewhere?"+req.URL.RawQuery)
					w.WriteHeader(status)
					if status != http.StatusNotModified {
						_, _ = io.WriteString(w, challenge)
					}
				})
				before := len(r.reader.verifications())
				r.request("subscribe", callback)
				r.verify()
				r.want(!r.active(callback), "%d confirms", status)
				r.want(len(r.reader.verifications()) == before+1, "%d is followed", status)
			}
		}},
		{"V03 H23 challenges are random and new each time", func(r *harness) {
			r.reader.confirmWithStatus(http.StatusServiceUnavailable)
			r.request("subscribe", r.reader.URL+"/cb")
			for range 4 {
				r.verify()
				r.clock.Advance(30 * time.Minute)
			}
			r.reader.confirmWith(nil)
			for i := range 20 {
				r.subscribe("/cb/" + string(rune('a'+i)))
			}
			seen := make(map[string]bool)
			for _, v := range r.reader.verifications() {
				c := v.last("hub.challenge")
				r.want(len(c) >= 22 && !seen[c], "%q is short, or was there before", c)
				seen[c] = true
			}
		}},
		{"C02 the verify token is returned", func(r *harness) {
			r.subscribe("/cb", "hub.verify_token", "t o&k=en")
			r.want(r.reader.verifications()[0].values.Get("hub.verify_token") == "t o&k=en", "verified by %s", r.reader.verifications()[0].query)
		}},
		{"X01 unknown topics are added after the confirmation", func(r *harness) {
			const topic = "http://news.example/feed"
			var opened []string
			open := func(_ context.Context, topic string) error {
				opened = append(opened, topic)
				if strings.Contains(topic, "full") {
					return errors.New("there are too many topics")
				}
				r.topics.set(topic, "text/plain", "")
				return nil
			}
			r.front = hub.NewFront(r.store, r.topics, &http.Transport{DisableKeepAlives: true}, hub.FrontOptions{AddTopic: open, Now: r.clock.Now})
			r.reader.confirmWithStatus(http.StatusNotFound)
			r.request("subscribe", r.reader.URL+"/no", "hub.topic", topic)
			r.verify()
			r.want(len(opened) == 0, "added before the confirmation")
			r.reader.confirmWith(nil)
			r.request("subscribe", r.reader.URL+"/yes", "hub.topic", topic)
			r.verify()
			r.want(len(opened) == 1 && opened[0] == topic, "added %v", opened)
			_, err := r.store.Subscription(context.Background(), feed.SubscriptionID(topic, r.reader.URL+"/yes"))
			r.want(err == nil, "not subscribed: %v", err)
			r.request("subscribe", r.reader.URL+"/full", "hub.topic", topic+"/full")
			r.verify()
			all := r.reader.verifications()
			last := all[len(all)-1]
			r.want(last.last("hub.mode") == "denied" && last.last("hub.reason") == "there are too many topics", "verified by %s", last.query)
		}},
	}
	for _, c := range []struct {
		row    string
		status int
		body   func(challenge string) string
		holds  bool
	}{
		{"H22 V06 200 with the challenge confirms", 200, same, true},
		{"H22 V06 201 with the challenge confirms", 201, same, true},
		{"H22 V06 202 with the challenge confirms", 202, same, true},
		{"H22 V06 299 with the challenge confirms", 299, same, true},
		{"H22 V07 404 with the challenge does not confirm", 404, same, false},
		{"H22 V07 410 with the challenge does not confirm", 410, same, false},
		{"H22 V07 500 with the challenge does not confirm", 500, same, false},
		{"H22 V09 another body does not confirm", 200, func(string) string { return "OK" }, false},
		{"H22 V09 an empty body does not confirm", 200, func(string) string { return "" }, false},
		{"H22 V10 more than the challenge does not confirm", 200, func(c string) string { return c + "x" }, false},
		{"H22 V10 the challenge with a line end does not confirm", 200, func(c string) string { return c + "\n" }, false},
		{"H22 V10 a part of the challenge does not confirm", 200, func(c string) string { return c[:len(c)-1] }, false},
		{"H22 V10 the challenge in another case does not confirm", 200, strings.ToLower, false},
		{"H22 V10 the challenge in quotes does not confirm", 200, func(c string) string { return `"` + c + `"` }, false},
		{"H22 V11 an endless body does not confirm", 200, func(c string) string { return strings.Repeat(c, 100_000) }, false},
	} {
		rows = append(rows, check{c.row, func(r *harness) {
			callback := r.reader.URL + "/cb"
			r.reader.confirmWith(func(w http.ResponseWriter, _ *http.Request, challenge string) {
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body(challenge))
			})
			r.request("subscribe", callback)
			r.verify()
			r.want(r.active(callback) == c.holds, "subscribed: %v, want %v", r.active(callback), c.holds)
			r.must(r.store.Subscribe(r.tb.Context(), &feed.Subscription{Topic: harbour, Callback: callback, Kind: feed.KindWebSub}))
			r.request("unsubscribe", callback)
			r.verify()
			r.want(r.active(callback) != c.holds, "subscribed: %v after a wish to leave", !c.holds)
		}})
	}
	return rows
}

func same(challenge string) string { return challenge }

// run runs the front until the returned function stops it.
func run(r *harness) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.front.Run(ctx) }()
	return func() {
		cancel()
		<-ended
	}
}

// leaseRows cover the duration of subscriptions (sections 5.1 and 5.3.1).
func leaseRows() []check {
	lease := func(r *harness, asked string) string {
		v := url.Values{"hub.mode": {"subscribe"}, "hub.topic": {harbour}, "hub.callback": {r.reader.URL + "/" + asked}}
		if asked != "" {
			v.Set("hub.lease_seconds", asked)
		}
		got := r.post(v.Encode())
		r.want(got.status == http.StatusAccepted, "lease %q answered %d", asked, got.status)
		r.verify()
		all := r.reader.verifications()
		return all[len(all)-1].values.Get("hub.lease_seconds")
	}
	return []check{
		{"H07 L01 leases are granted within bounds and announced", func(r *harness) {
			for asked, want := range map[string]string{
				"": "864000", "0": "864000", "1": "3600", "3600": "3600", "86400": "86400", "2592000": "2592000", "2592001": "2592000",
				"99999999999999999999999": "2592000",
			} {
				r.want(lease(r, asked) == want, "%q is announced as %q, want %s", asked, lease(r, asked), want)
			}
		}},
		{"X07 some topics have leases of their own", func(r *harness) {
			r.topics.set(weather+"/today", "text/plain", "sun")
			for asked, want := range map[string]string{"": "120", "1": "60", "90": "90", "3600": "300"} {
				r.request("subscribe", r.reader.URL+"/"+asked, "hub.topic", weather+"/today", "hub.lease_seconds", asked)
				r.verify()
				all := r.reader.verifications()
				r.want(all[len(all)-1].last("hub.lease_seconds") == want, "%q is announced as %v", asked, all[len(all)-1].values)
			}
			r.want(lease(r, "60") == "3600", "another topic has the lease, too")
		}},
		{"H08 the lease of an unsubscribe request is ignored", func(r *harness) {
			for _, lease := range []string{"0", "-1", "x", "99999999999999999999"} {
				callback := r.subscribe("/cb")
				r.request("unsubscribe", callback, "hub.lease_seconds", lease)
				r.verify()
				r.want(!r.active(callback), "lease %q kept it", lease)
			}
		}},
		{"H24 L02 a lease ends at the announced time", func(r *harness) {
			callback := r.subscribe("/cb", "hub.lease_seconds", "3600")
			r.clock.Advance(59 * time.Minute)
			r.news("a")
			r.awaitDeliveries("/cb", 1)
			r.clock.Advance(2 * time.Minute)
			r.news("b")
			r.until(func() bool { return !r.active(callback) }, "the end of the lease")
			r.awaitDeliveries("/cb", 1)
		}},
		{"H24 L03 a lease begins with the verification", func(r *harness) {
			r.request("subscribe", r.reader.URL+"/cb", "hub.lease_seconds", "3600")
			r.clock.Advance(30 * time.Minute)
			before := r.clock.Now()
			r.verify()
			sub, err := r.store.Subscription(context.Background(), feed.SubscriptionID(harbour, r.reader.URL+"/cb"))
			r.want(err == nil, "not subscribed: %v", err)
			r.want(!sub.Until.Before(before.Truncate(time.Millisecond).Add(time.Hour)), "it ends %v after the GET", sub.Until.Sub(before))
			r.want(!sub.Until.After(r.clock.Now().Add(time.Hour)), "it ends too late")
		}},
		{"H24 L05 a renewal begins a new lease", func(r *harness) {
			callback := r.subscribe("/cb", "hub.lease_seconds", "3600")
			r.clock.Advance(50 * time.Minute)
			r.subscribe("/cb", "hub.lease_seconds", "3600")
			r.clock.Advance(50 * time.Minute)
			r.news("a")
			r.awaitDeliveries("/cb", 1)
			r.want(r.active(callback), "it has ended")
		}},
	}
}
