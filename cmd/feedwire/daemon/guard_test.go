//go:build !race

package daemon

import (
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/client"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// insideWorld listens on private addresses of this machine and counts who connects. It answers with a banner.
type insideWorld struct {
	port     string
	accepted atomic.Int32
}

const banner = "-ERR banner of an internal server"

func newInside(t *testing.T) *insideWorld {
	t.Helper()
	in := &insideWorld{}
	var serving sync.WaitGroup
	t.Cleanup(serving.Wait) // after the listeners are closed
	for _, host := range []string{"127.0.0.1", "::1"} {
		l, err := net.Listen("tcp", net.JoinHostPort(host, in.port))
		if err != nil && host == "::1" {
			continue // no IPv6, or the port is taken there
		}
		if err != nil {
			t.Fatal(err)
		}
		_, in.port, _ = net.SplitHostPort(l.Addr().String())
		serving.Go(func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				in.accepted.Add(1)
				_, _ = fmt.Fprintf(c, "%s\r\n", banner)
				_ = c.Close()
			}
		})
		t.Cleanup(func() { _ = l.Close() })
	}
	return in
}

// In the default configuration no API call, list, hub request, webhook or ping makes the daemon connect to a private address.
func TestDaemonDialsNoPrivateAddress(t *testing.T) {
	inside := newInside(t)
	noNames.Store(true)
	t.Cleanup(func() { noNames.Store(false) })
	d := start(t, storetest.RedisAOF(t), "fetch: {allow_networks: [], host_delay: 0s, min_interval: 0s}\nhub: {allow_networks: [], ping: [\"http://localhost:"+inside.port+"/ping\"]}\n")
	hosts := storetest.Spellings(1)
	target := func(i int, path string) string { return fmt.Sprintf("http://%s:%s/%s", hosts[i], inside.port, path) }
	refused := func(path string, body any) {
		var out map[string]any
		err := d.Call(t.Context(), http.MethodPost, path, body, &out)
		if refusal, ok := errors.AsType[*client.Error](err); !ok || refusal.Status >= http.StatusInternalServerError {
			t.Errorf("%s %v: %v %v", path, body, err, out)
		}
	}
	var added []string
	add := func(body map[string]any) {
		var s feed.Source
		if err := d.Call(t.Context(), http.MethodPost, "/api/v1/sources", body, &s); err == nil {
			added = append(added, s.ID)
		}
	}
	var list strings.Builder
	verified := 0
	topic, follower := "", ""
	for address, name := range d.app.publisher.Topics() {
		if name == "production" {
			topic = address
		}
	}
	for i := range hosts {
		refused("/api/v1/peek", map[string]any{"url": target(i, "peek")})
		refused("/api/v1/discover", map[string]any{"url": target(i, "discover")})
		if i%feed.MaxFetches == 0 {
			follower = fmt.Sprintf("follower%d", i)
			d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": follower, "role": "viewer"}, nil)
		}
		refused("/api/v1/me/follows?user="+follower, map[string]any{"url": target(i, "follow")})
		add(map[string]any{"url": target(i, "add")})
		for _, scheme := range []string{"http", "socks5"} {
			public := fmt.Sprintf("http://news.example/%s/%d", scheme, i)
			add(map[string]any{"url": public})
			add(map[string]any{"url": public, "request": map[string]any{"proxy": fmt.Sprintf("%s://%s:%s", scheme, hosts[i], inside.port)}})
		}
		fmt.Fprintf(&list, `<outline xmlUrl="%s"/><outline xmlUrl="http://news.example/opml/%d" f:proxy="http://%s:%s"/>`,
			html.EscapeString(target(i, "opml")), i, html.EscapeString(hosts[i]), inside.port)

		var hook struct{ ID string }
		if d.Call(t.Context(), http.MethodPost, "/api/v1/webhooks", map[string]any{"url": target(i, "hook")}, &hook) == nil {
			var tried struct{ Taken bool }
			d.do(http.MethodPost, "/api/v1/webhooks/"+hook.ID+"/test", nil, &tried)
			if tried.Taken {
				t.Errorf("the webhook %s has taken a message", target(i, "hook"))
			}
		}
		code, _ := d.hub(url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.callback": {target(i, "callback")}})
		if code == http.StatusAccepted {
			verified++
		}
	}
	var report feed.JobReport
	d.do(http.MethodPost, "/api/v1/opml", client.Raw(`<opml xmlns:f="https://github.com/feedwire/feedwire/ns/opml"><body>`+
		list.String()+`</body></opml>`), &report)
	wiretest.Eventually(t, "imported", func() bool {
		d.do(http.MethodGet, "/api/v1/jobs/"+report.ID+"?limit=1000", nil, &report)
		return report.Ended()
	})
	ignored := 0
	for _, r := range report.Results {
		if strings.Contains(r.Note, "proxy was ignored") {
			ignored++
		}
		if r.Outcome == feed.JobAdded {
			added = append(added, r.Source)
		}
	}
	if ignored != len(hosts) {
		t.Errorf("%d of %d proxies ignored", ignored, len(hosts))
	}
	t.Logf("%d hosts, %d sources, %d callbacks", len(hosts), len(added), verified)
	for _, id := range added {
		var s feed.Source
		wiretest.Eventually(t, "polled", func() bool {
			d.do(http.MethodGet, "/api/v1/sources/"+id, nil, &s)
			return !s.Poll.LastPoll.IsZero()
		})
		var trace feed.Trace
		d.do(http.MethodPost, "/api/v1/sources/"+id+"/poll?trace=1", nil, &trace)
		if trace.After.Poll.ErrorClass == "" || strings.Contains(fmt.Sprintf("%+v", trace), banner) {
			t.Errorf("%s by %q: %+v", s.URL, s.Request.Proxy, trace)
		}
	}
	wiretest.Eventually(t, "callbacks verified", func() bool {
		return int(d.metric("feedwire_hub_verifications_total", "", "")) >= verified
	})
	var local feed.Source
	d.do(http.MethodPost, "/api/v1/sources", map[string]any{"url": "feedwire:local/notes", "publish": "auto"}, &local)
	d.do(http.MethodPost, "/api/v1/sources/"+local.ID+"/entries", map[string]any{"guid": "1", "title": "News", "content": "<p>Text.</p>"}, nil)
	wiretest.Eventually(t, "pinged in vain", func() bool { return d.metric("feedwire_hub_delivery_attempts_total", "code_class", "blocked") > 0 })
	if n := inside.accepted.Load(); n != 0 {
		t.Errorf("%d connections to private addresses", n)
	}
}
