package ingest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// The tests of this file are the subscriber tests of websub.rocks, by their numbers, and what the Recommendation demands
// of a subscriber by the numbers S01 to S17, as far as subscriber_test.go does not show it (S07 and S08 where it subscribes,
// S10 where it renews, S11 where it is denied, S17 where it leaves). Here the test is publisher and hub.

// hubLinks are the Link header of a topic.
func hubLinks(hub, self string) string {
	return fmt.Sprintf(`<%s>; rel="hub", <%s>; rel="self"`, hub, self)
}

// completes looks that a subscription to a topic at a hub's path is asked for and becomes active, and returns the request.
func (p *pushed) completes(topic string) url.Values {
	p.t.Helper()
	p.poll()
	p.turn()
	asked := p.request(1)
	if asked.Get("hub.mode") != "subscribe" || asked.Get("hub.topic") != topic {
		p.t.Fatalf("asked for %s of %s, want %s", asked.Get("hub.mode"), asked.Get("hub.topic"), topic)
	}
	query := url.Values{
		"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.challenge": {"ch4llenge"}, "hub.lease_seconds": {"86400"},
	}
	if code, said := p.get(asked.Get("hub.callback"), query); code/100 != 2 || said != "ch4llenge" {
		p.t.Fatalf("verification answered %d %q", code, said)
	}
	p.inState(feed.PushActive)
	return asked
}

const (
	atomWith = `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Source</title><id>urn:f</id>
		<updated>2026-11-20T12:00:00Z</updated>%s<entry><id>1</id><title>One</title><updated>2026-11-20T12:00:00Z</updated></entry></feed>`
	rssWith = `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>Source</title>%s
		<item><guid>1</guid><title>One</title></item></channel></rss>`
	linkElements = `<%[1]slink rel="hub" href="%[2]s"/><%[1]slink rel="self" href="%[3]s"/>`
)

func TestRocksDiscovery(t *testing.T) {
	for name, c := range map[string]struct {
		header func(p *pushed) string
		body   func(p *pushed) string
	}{
		"100 Link headers alone": {
			header: func(p *pushed) string { return hubLinks(p.hub.URL, p.topic()) },
			body:   func(*pushed) string { return fmt.Sprintf(rssWith, "") },
		},
		"102 Atom": {body: func(p *pushed) string {
			return fmt.Sprintf(atomWith, fmt.Sprintf(linkElements, "", p.hub.URL, p.topic()))
		}},
		"103 RSS": {body: func(p *pushed) string {
			return fmt.Sprintf(rssWith, fmt.Sprintf(linkElements, "atom:", p.hub.URL, p.topic()))
		}},
		"104 headers before the document": {
			header: func(p *pushed) string { return hubLinks(p.hub.URL, p.topic()) },
			body: func(p *pushed) string {
				return fmt.Sprintf(atomWith, fmt.Sprintf(linkElements, "", p.hub.URL+"/hub?error=wrongtag", p.topic()))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := push(t, loopback())
			p.set(func() {
				if c.header != nil {
					p.header.Set("Link", c.header(p))
				}
				p.body = c.body(p)
				p.answer = func(w http.ResponseWriter, r *http.Request) {
					if r.URL.RawQuery != "" {
						t.Errorf("wrong_discovery_priority: asked at %s", r.URL)
					}
					w.WriteHeader(http.StatusAccepted)
				}
			})
			p.completes(p.topic())
		})
	}
	t.Run("101 HTML", func(t *testing.T) { // no page is a source, but what it names is found as in a feed
		page := `<!DOCTYPE html><html><head><link rel="hub" href="/hub"><link rel="self" href="/blog/101"></head>
			<body><link rel="hub" href="/of-a-commenter"></body></html>`
		got := websub.Discover(http.Header{}, []byte(page), "https://me.example/blog/101?x")
		if len(got.Hubs) != 1 || got.Hubs[0] != "https://me.example/hub" || got.Self != "https://me.example/blog/101" {
			t.Errorf("found %+v", got)
		}
	})
}

func TestRocks200SubscribesToTheSelfLink(t *testing.T) {
	p := push(t, loopback())
	self := p.origin.URL + "/blog/200?self=other"
	p.set(func() { p.header.Set("Link", hubLinks(p.hub.URL, self)) })
	p.completes(self)
}

func TestRocks201And202FollowTheTopic(t *testing.T) {
	for _, status := range []int{http.StatusFound, http.StatusMovedPermanently} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			p := push(t, loopback())
			self := p.origin.URL + "/feed?redirect=complete"
			p.origin.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.RawQuery == "" {
					http.Redirect(w, r, self, status)
					return
				}
				w.Header().Set("Link", hubLinks(p.hub.URL, self))
				_, _ = io.WriteString(w, fmt.Sprintf(rssWith, ""))
			})
			p.completes(self)
		})
	}
}

func TestRocks203And204FollowTheHub(t *testing.T) {
	for _, status := range []int{http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			p := push(t, loopback())
			p.set(func() {
				p.header.Set("Link", hubLinks(p.hub.URL+"/hub?redirect=true", p.topic()))
				p.answer = func(w http.ResponseWriter, r *http.Request) {
					if r.URL.RawQuery != "" {
						p.set(func() { p.asked = nil }) // only the last one counts
						http.Redirect(w, r, "/hub", status)
						return
					}
					if r.Method != http.MethodPost {
						t.Errorf("the hub got %s", r.Method)
					}
					w.WriteHeader(http.StatusAccepted)
				}
			})
			p.completes(p.topic())
		})
	}
}

func TestRocks205AnotherTopicIsNotConfirmed(t *testing.T) {
	p := push(t, loopback())
	p.poll()
	p.turn()
	query := p.verify(feed.HubSubscribe, "86400")
	query.Set("hub.topic", p.topic()+"?invalid")
	if code, _ := p.get(p.request(1).Get("hub.callback"), query); code != http.StatusNotFound {
		t.Errorf("answered %d, want 404", code)
	}
	p.inState(feed.PushPending)
}

func TestRocks300To302Deliveries(t *testing.T) {
	p := push(t, loopback())
	asked := p.subscribe()
	secret := asked.Get("hub.secret")
	if secret == "" {
		t.Fatal("there is no secret")
	}
	send := func(signature, body string) int {
		header := http.Header{"Content-Type": {"application/rss+xml"}, "Link": {hubLinks("https://other.example/", "https://other.example/feed")}}
		if signature != "" {
			header.Set(websub.SignatureHeader, signature)
		}
		code, _ := p.do(http.MethodPost, asked.Get("hub.callback"), body, header)
		return code
	}
	body := p.document(p.hub.URL, "1", "2")
	for name, c := range map[string]struct {
		signature string
		taken     bool
	}{
		"301 four digits too many": {websub.Sign(websub.SHA256, secret, []byte(body)) + "abcd", false},
		"301 another body":         {websub.Sign(websub.SHA256, secret, []byte(body+" ")), false},
		"302 none":                 {"", false},
	} {
		if code := send(c.signature, body); code/100 == 2 {
			t.Errorf("%s is answered %d", name, code)
		}
		p.counts(1)
	}
	// S13: the links of a delivery, which name another topic here, mean nothing.
	if code := send(websub.Sign(websub.SHA256, secret, []byte(body)), body); code/100 != 2 {
		t.Errorf("300 is answered %d", code)
	}
	p.counts(2)
}

func TestAny2xxOfAHubIsAccepted(t *testing.T) { // section 5.1.2, and 0.3: 204 after a synchronous verification
	for _, status := range []int{http.StatusOK, http.StatusAccepted, http.StatusNoContent} {
		p := push(t, loopback())
		p.set(func() { p.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) } })
		p.completes(p.topic())
	}
}

func TestS03RequestIsAForm(t *testing.T) {
	p := push(t, loopback())
	var kind string
	p.set(func() {
		p.answer = func(w http.ResponseWriter, r *http.Request) {
			kind = r.Method + " " + r.Header.Get("Content-Type")
			w.WriteHeader(http.StatusAccepted)
		}
	})
	asked := p.completes(p.topic())
	if kind != "POST application/x-www-form-urlencoded" {
		t.Errorf("the hub got %s", kind)
	}
	for _, name := range []string{"hub.mode", "hub.topic", "hub.callback"} {
		if len(asked[name]) != 1 || asked.Get(name) == "" {
			t.Errorf("%s is %v", name, asked[name])
		}
	}
	if n := len(asked.Get("hub.secret")); n == 0 || n > websub.MaxSecret {
		t.Errorf("the secret has %d bytes", n)
	}
}

func TestS06CallbacksAreOfOneSubscriptionAlone(t *testing.T) {
	seen := make(map[string]bool)
	for range 3 {
		p := push(t, loopback())
		callback := p.subscribe().Get("hub.callback")
		token := strings.TrimPrefix(callback, p.daemon.URL+"/push/")
		if seen[token] || len(token) < 22 {
			t.Errorf("the token is %q", token)
		}
		seen[token] = true
	}
}

func TestS09LeaseOfLeavingDoesNotMatter(t *testing.T) {
	p := push(t, loopback())
	callback := p.subscribe().Get("hub.callback")
	p.publish("1")
	p.set(func() { p.body = strings.ReplaceAll(p.body, `rel="hub"`, `rel="none"`) })
	p.clock.advance(time.Hour)
	p.poll()
	p.turn()
	p.request(2)
	if code, said := p.get(callback, p.verify(feed.HubUnsubscribe, "1")); code != http.StatusOK || said != "ch4llenge" {
		t.Errorf("answered %d %q", code, said)
	}
}

func TestS15HubsWithEncryptionComeFirst(t *testing.T) {
	p := push(t, loopback())
	p.set(func() {
		p.header.Set("Link", fmt.Sprintf(`<%s>; rel="hub", <https://hub.invalid/>; rel="hub", <%s>; rel="self"`, p.hub.URL, p.topic()))
	})
	p.poll()
	if got := p.inState(feed.PushPending); got.Hub != "https://hub.invalid/" {
		t.Errorf("chose %s", got.Hub)
	}
}

func TestS16UnknownCallbacksAreGone(t *testing.T) {
	p := push(t, loopback())
	code, _ := p.do(http.MethodPost, p.daemon.URL+"/push/AAAAAAAAAAAAAAAAAAAAAAAAAA", "<rss/>", nil)
	if code != http.StatusGone {
		t.Errorf("answered %d", code)
	}
	code, _ = p.do(http.MethodGet, p.daemon.URL+"/push/AAAAAAAAAAAAAAAAAAAAAAAAAA?"+p.verify(feed.HubSubscribe, "60").Encode(), "", nil)
	if code != http.StatusNotFound {
		t.Errorf("answered %d", code)
	}
}
