package daemon

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

var withPeers = flag.Bool("peers", false, "run against the programs of others that testdata/peers names, from the npm registry")

// peers installs the programs of others.
func peers(t *testing.T) (dir string) {
	t.Helper()
	if !*withPeers {
		t.Skip("it runs programs from the npm registry: ask for it with -peers")
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/peers")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	return dir
}

// node runs one of the programs until the test ends. Its input ends with the function that is returned.
func node(t *testing.T, dir, program string, env ...string) (out string, end func()) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", program)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	return background(t, cmd), func() { _ = input.Close() }
}

// Subscribers of others subscribe at our hub, confirm it, take news, and leave.
func TestPeersSubscribeAtOurHub(t *testing.T) {
	dir := peers(t)
	for library, secret := range map[string]string{
		"pubsubhubbub-0.4": "hush", // checks signatures: what it tells of was signed well
		"pubsubhubbub":     "",     // 1.0.2 checks them with another secret than the one it gives
	} {
		t.Run(library, func(t *testing.T) {
			web := wiretest.NewOrigin(t)
			web.Set("/feed.xml", wiretest.Posts(1)...)
			topic := web.URL + "/feed.xml"
			d := start(t, storetest.RedisAOF(t), "")
			s := d.add(topic, nil)
			port := wiretest.FreePort(t)
			out, leave := node(t, dir, "subscriber.js",
				"LIBRARY="+library, "HUB="+d.Base+"/hub", "TOPIC="+topic, "PORT="+port, "SECRET="+secret)
			told := func(event, about string) func() bool {
				return func() bool {
					for line := range strings.Lines(written(t, out)) {
						var said struct{ Event, Topic, Feed string }
						if err := json.Unmarshal([]byte(line), &said); err != nil {
							t.Fatalf("it says %s", line)
						}
						if said.Event == event && said.Topic == topic && strings.Contains(said.Feed, about) {
							return true
						}
					}
					return false
				}
			}
			wiretest.Eventually(t, "verified", told("subscribe", ""))
			subscriptions := func() int {
				var page feed.Page[feed.Subscription]
				d.do(http.MethodGet, "/api/v1/hub/subscriptions", nil, &page)
				return len(page.Items)
			}
			wiretest.Eventually(t, "subscribed", func() bool { return subscriptions() == 1 })
			web.Set("/feed.xml", wiretest.Posts(2)...)
			d.poll(s)
			wiretest.Eventually(t, "told of the news", told("feed", "<title>Post 1</title>"))
			leave()
			wiretest.Eventually(t, "verified again", told("unsubscribe", ""))
			wiretest.Eventually(t, "gone", func() bool { return subscriptions() == 0 })
		})
	}
}

// peerHub runs a hub of others for one topic, that may reach the topic and the callbacks at some hosts.
func peerHub(t *testing.T, dir, topic string, hosts ...string) (hub string) {
	t.Helper()
	port := wiretest.FreePort(t)
	node(t, dir, "hub.mjs", "PORT="+port, "TOPIC="+topic, "HOSTS="+strings.Join(hosts, " "))
	hub = "http://127.0.0.1:" + port + "/"
	wiretest.Eventually(t, "listening", func() bool {
		resp, err := http.Get(hub)
		if err == nil {
			resp.Body.Close()
		}
		return err == nil
	})
	return hub
}

// atPeer makes a feed that names a hub of others, and a function that adds a post and publishes it there. The hub reaches
// callbacks at one host.
func atPeer(t *testing.T, dir, callbacks string) (topic string, publish func(title string)) {
	t.Helper()
	o := wiretest.NewOrigin(t)
	topic = o.URL + "/feed"
	hub := peerHub(t, dir, topic, strings.TrimPrefix(o.URL, "http://"), callbacks)
	items := wiretest.Posts(1)
	links := fmt.Sprintf(`<channel><a:link xmlns:a="http://www.w3.org/2005/Atom" rel="hub" href=%q/>`+
		`<a:link xmlns:a="http://www.w3.org/2005/Atom" rel="self" href=%q/>`, hub, topic)
	show := func() {
		o.SetRaw("/feed", []byte(strings.Replace(string(o.Render(items)), "<channel>", links, 1)))
	}
	show()
	return topic, func(title string) {
		items = append(items, wiretest.Post(title, title, "<p>Text.</p>"))
		show()
		request(t, hub, url.Values{"hub.mode": {"publish"}, "hub.topic": {topic}, "hub.url": {topic}})
	}
}

func TestSubscribeAtAPeer(t *testing.T) {
	listen := "127.0.0.1:" + wiretest.FreePort(t)
	topic, publish := atPeer(t, peers(t), listen)
	published := false
	var term outputs
	code := interrupted(t, func(at outputs) bool {
		term = at
		if !published && strings.Contains(written(t, term.err), "subscribed for") {
			published = true
			publish("Pushed")
		}
		return strings.Contains(written(t, term.out), "Pushed")
	}, "subscribe", topic, "--listen", listen)
	errs := written(t, term.err)
	if code != cli.ExitOK || !strings.Contains(errs, "unsubscribed") {
		t.Errorf("it ends with %d: %s", code, errs)
	}
}

func TestDaemonSubscribesAtAPeer(t *testing.T) {
	dir := peers(t)
	t.Setenv("FEEDWIRE_FETCH_PUSH", "always")
	p := wiretest.BuildProgram(t, "")
	topic, publish := atPeer(t, dir, p.Address)
	p.Start()
	p.Ready()
	c := p.Client()
	var s feed.Source
	in := map[string]any{"url": topic, "interval": "1h"}
	if err := c.Call(t.Context(), http.MethodPost, "/api/v1/sources", in, &s); err != nil {
		t.Fatal(err)
	}
	is := func(right func(feed.Push) bool) func() bool {
		return func() bool {
			return c.Call(t.Context(), http.MethodGet, "/api/v1/sources/"+s.ID, nil, &s) == nil && right(s.Push)
		}
	}
	wiretest.Eventually(t, "subscribed", is(func(p feed.Push) bool { return p.State == feed.PushActive }))
	publish("Pushed")
	wiretest.Eventually(t, "pushed to", is(func(p feed.Push) bool { return p.Pushes == 1 }))
	var entries feed.Page[feed.Entry]
	if err := c.Call(t.Context(), http.MethodGet, "/api/v1/sources/"+s.ID+"/entries", nil, &entries); err != nil {
		t.Fatal(err)
	}
	if len(entries.Items) != 2 {
		t.Errorf("%d entries", len(entries.Items))
	}
}

// Another hub gets a ping about an outgoing feed, fetches it, and delivers it to its subscribers.
func TestPeerIsNotifiedOfAnOutgoingFeed(t *testing.T) {
	dir, o, r, p := peers(t), wiretest.NewOrigin(t), newReader(t), wiretest.BuildProgram(t, "")
	topic := "http://" + p.Address + "/feed/production"
	hub := peerHub(t, dir, topic, p.Address, strings.TrimPrefix(r.URL, "http://"))
	t.Setenv("FEEDWIRE_HUB_PING", hub)
	o.Set("/a", wiretest.Posts(1)...)
	p.Start()
	p.Ready()
	in := map[string]any{"url": o.URL + "/a", "feeds": []string{"production"}, "publish": "auto"}
	if err := p.Client().Call(t.Context(), http.MethodPost, "/api/v1/sources", in, nil); err != nil {
		t.Fatal(err)
	}
	request(t, hub, url.Values{
		"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.callback": {r.URL + "/peer"}, "hub.secret": {"hush"},
	})
	wiretest.Eventually(t, "asked", func() bool { return len(r.asked()) > 0 })
	o.Set("/a", wiretest.Posts(3)...)
	wiretest.Eventually(t, "brought", func() bool {
		for _, got := range r.deliveries() {
			body := got.Form.Get("body")
			if err := websub.Verify(got.Header, "hush", []byte(body)); err != nil {
				t.Error(err)
			}
			if strings.Contains(body, "Post 2") {
				return true
			}
		}
		return false
	})
}

// request sends a form to a hub of others.
func request(t *testing.T, hub string, form url.Values) {
	t.Helper()
	resp, err := http.PostForm(hub, form)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		t.Errorf("%s is answered %d", form.Get("hub.mode"), resp.StatusCode)
	}
}

// A library for FreshRSS reads and marks entries by the Fever API.
func TestPeerReadsByTheFeverAPI(t *testing.T) {
	dir, o := peers(t), wiretest.NewOrigin(t)
	o.Set("/feed.xml", wiretest.Posts(60)...)
	d := start(t, storetest.RedisAOF(t), "")
	d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": "ann", "role": "member"}, nil)
	d.do(http.MethodPost, "/api/v1/me/follows?user=ann", map[string]string{"url": o.URL + "/feed.xml", "folder": "Sea"}, nil)
	var app struct{ Token string }
	d.do(http.MethodPost, "/api/v1/me/apps?user=ann", map[string]string{"name": "peer"}, &app)
	wiretest.Eventually(t, "all entries", func() bool {
		var counts struct{ Unread int }
		d.do(http.MethodGet, "/api/v1/me/read?user=ann", nil, &counts)
		return counts.Unread == 60
	})
	cmd := exec.CommandContext(t.Context(), "node", "reader.js")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "SITE="+d.Base, "NAME=ann", "PASSWORD="+app.Token)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var seen struct {
		Feeds, Groups, Unread, Saved, All []string
		Grouped                           bool
		First, Content                    string
	}
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(seen.Feeds, []string{o.URL + "/feed.xml"}) || !slices.Equal(seen.Groups, []string{"Sea"}) || !seen.Grouped {
		t.Errorf("it reads the feeds %q in groups %q", seen.Feeds, seen.Groups)
	}
	if len(seen.All) != 60 || !slices.Equal(seen.Unread, seen.All[1:]) || !slices.Equal(seen.Saved, seen.All[1:2]) || seen.First != seen.All[0] || seen.Content == "" {
		t.Errorf("it sees %+v", seen)
	}
}
