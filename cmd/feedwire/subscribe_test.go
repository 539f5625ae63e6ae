package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

// peer is a hub that does what a test says.
type peer struct {
	*httptest.Server
	t      *testing.T
	lease  string // announced
	answer func(w http.ResponseWriter, r *http.Request) bool

	mu    sync.Mutex
	asked []url.Values
	ended chan struct{} // closed when an unsubscription is confirmed
}

func newPeer(t *testing.T) *peer {
	p := &peer{t: t, lease: "3600", ended: make(chan struct{})}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

// ServeHTTP takes a request and verifies it while it is answered, as hubs of PubSubHubbub 0.3 do.
func (p *peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.answer != nil && p.answer(w, r) {
		return
	}
	if err := r.ParseForm(); err != nil {
		p.t.Error(err)
	}
	mode := r.PostForm.Get("hub.mode")
	status, echo := p.verify(r.PostForm.Get("hub.callback"), mode, r.PostForm.Get("hub.topic"))
	if status != http.StatusOK || echo != "challenge of "+mode {
		p.t.Errorf("verification of %s: %d %q", mode, status, echo)
	}
	p.mu.Lock()
	p.asked = append(p.asked, r.PostForm)
	p.mu.Unlock()
	if mode == "unsubscribe" {
		close(p.ended)
	}
	w.WriteHeader(http.StatusAccepted)
}

func (p *peer) verify(callback, mode, topic string) (status int, echo string) {
	resp, err := http.Get(callback + "?" + url.Values{
		"hub.mode": {mode}, "hub.topic": {topic}, "hub.challenge": {"challenge of " + mode}, "hub.lease_seconds": {p.lease},
		"hub.reason": {"no more"},
	}.Encode())
	if err != nil {
		p.t.Errorf("verification: %v", err)
		return 0, ""
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body)
}

// requests are those that were confirmed.
func (p *peer) requests() []url.Values {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// deliver sends a document to the newest subscription, signed with its secret unless set changes that.
func (p *peer) deliver(body string, set func(*http.Request)) (status int) {
	form := p.requests()[0]
	req, err := http.NewRequest(http.MethodPost, form.Get("hub.callback"), strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/rss+xml")
	req.Header.Set(websub.SignatureHeader, websub.Sign(websub.SHA384, form.Get("hub.secret"), []byte(body)))
	if set != nil {
		set(req)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// advertised is a feed that names a hub, and a function that renders it with other posts.
func advertised(t *testing.T, hub string) (feedURL string, render func(items ...item) string) {
	o := newOrigin(t)
	render = func(items ...item) string {
		links := fmt.Sprintf(`<a:link xmlns:a="http://www.w3.org/2005/Atom" rel="hub" href=%q/>`+
			`<a:link xmlns:a="http://www.w3.org/2005/Atom" rel="self" href="%s/self"/>`, hub, o.URL)
		return strings.Replace(string(o.render(items)), "<channel>", "<channel>"+links, 1)
	}
	o.raw["/feed"] = []byte(render(item{"p1", "Known", "a"}))
	return o.URL + "/feed", render
}

func TestSubscribePrintsEachNewEntryOnce(t *testing.T) {
	hub := newPeer(t)
	feedURL, render := advertised(t, hub.URL)
	known, news := item{"p1", "Known", "a"}, item{"p2", "New\u202eline", "b"}
	var out, errs string
	step := 0
	code := interrupted(t, func(term terminal) bool {
		out, errs = written(t, term.out), written(t, term.err)
		switch {
		case step == 0 && strings.Contains(errs, "subscribed for"):
			step++
			for range 2 {
				if status := hub.deliver(render(known, news), nil); status != http.StatusAccepted {
					t.Errorf("a delivery is answered %d", status)
				}
			}
			hub.deliver(render(item{"p3", "Forged", "x"}), func(r *http.Request) {
				r.Header.Set(websub.SignatureHeader, websub.Sign(websub.SHA256, "guessed", []byte("x")))
			})
			hub.deliver(render(known, item{"p2", "Corrected", "c"}), gzipped(t, render(known, item{"p2", "Corrected", "c"})))
		case step == 1 && strings.Contains(out, "Corrected"):
			return true
		}
		return false
	}, "subscribe", feedURL)
	if code != exitOK {
		t.Errorf("it ends with %d: %s", code, errs)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 2 || !strings.HasSuffix(lines[0], "  New line  http://x.example/p2") || strings.Contains(out, "\u202e") {
		t.Errorf("it prints %q", out)
	}
	if !strings.Contains(errs, "signature is wrong") {
		t.Errorf("it says nothing of the forged delivery: %s", errs)
	}
	select {
	case <-hub.ended:
	default:
		t.Error("it did not take its leave")
	}
	first := hub.requests()[0]
	if !strings.HasSuffix(first.Get("hub.topic"), "/self") {
		t.Errorf("it subscribes to %s", first.Get("hub.topic"))
	}
	for _, private := range []string{first.Get("hub.secret"), first.Get("hub.callback")} {
		if len(private) < 26 || strings.Contains(out+errs, private) {
			t.Errorf("%q is too short, or shown in %s", private, errs)
		}
	}
}

func gzipped(t *testing.T, body string) func(*http.Request) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, body)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return func(r *http.Request) {
		r.Header.Set("Content-Encoding", "gzip")
		r.Body, r.ContentLength = io.NopCloser(&b), int64(b.Len())
	}
}

func TestSubscribeRunsACommandForEachEntry(t *testing.T) {
	hub := newPeer(t)
	feedURL, render := advertised(t, hub.URL)
	told := filepath.Join(t.TempDir(), "told")
	var errs string
	step := 0
	code := interrupted(t, func(term terminal) bool {
		errs = written(t, term.err)
		if step == 0 && strings.Contains(errs, "subscribed") {
			step++
			hub.deliver(render(item{"p2", "One", "b"}, item{"p3", "Two", "c"}), nil)
		}
		return strings.Count(errs, "exit status 3") == 2
	}, "subscribe", feedURL, "--exec", "cat >> "+told+"; exit 3")
	if code != exitOK {
		t.Errorf("it ends with %d: %s", code, errs)
	}
	var titles []string
	lines := json.NewDecoder(strings.NewReader(written(t, told)))
	for lines.More() {
		var e feed.Entry
		if err := lines.Decode(&e); err != nil {
			t.Fatal(err)
		}
		titles = append(titles, e.Title)
	}
	if strings.Join(titles, " ") != "Two One" { // the oldest first: feeds list it last
		t.Errorf("the command got %q", titles)
	}
}

func TestSubscribeRenewsAndConfirmsOnlyWhatItAskedFor(t *testing.T) {
	hub := newPeer(t)
	hub.lease = "1"
	feedURL, render := advertised(t, hub.URL)
	var out string
	step := 0
	code := interrupted(t, func(term terminal) bool {
		out = written(t, term.out)
		if len(hub.requests()) > 1 && step == 0 {
			step++
			form := hub.requests()[0]
			callback, topic := form.Get("hub.callback"), form.Get("hub.topic")
			for _, forged := range [][3]string{
				{callback, "unsubscribe", topic}, {callback, "subscribe", topic + "?invalid"}, {callback, "denied", "other"},
				{callback + "x", "subscribe", topic}, {callback, "publish", topic},
			} {
				if status, _ := hub.verify(forged[0], forged[1], forged[2]); status != http.StatusNotFound {
					t.Errorf("%v is answered %d", forged[1:], status)
				}
			}
			hub.deliver(render(item{"p2", "Last", "b"}), nil)
		}
		return strings.Contains(out, "Last")
	}, "subscribe", feedURL, "-o", "json")
	if code != exitOK || !strings.HasPrefix(out, `{"feed_url":"`) {
		t.Errorf("it ends with %d and %s", code, out)
	}
}

func TestSubscribeSaysWhyItCannot(t *testing.T) {
	hub := newPeer(t)
	feedURL, _ := advertised(t, hub.URL)
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request) bool
		code   int
		says   string
		args   []string
	}{
		"refused": {func(w http.ResponseWriter, r *http.Request) bool {
			http.Error(w, "no such topic for "+r.FormValue("hub.callback"), http.StatusNotFound)
			return true
		}, exitFailed, "answers 404 Not Found: no such topic for http://127.0.0.1:", nil},
		"denied": {func(w http.ResponseWriter, r *http.Request) bool {
			hub.verify(r.FormValue("hub.callback"), "denied", r.FormValue("hub.topic"))
			return true
		}, exitFailed, "denies the subscription: no more", nil},
		"redirect that loses the request": {func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
			return true
		}, exitFailed, "redirects in a way", nil},
		"no hub":      {nil, exitFailed, "names no hub", []string{newOrigin(t).URL}},
		"no address":  {nil, exitUsage, "no URL of the web", []string{"blog.example"}},
		"no callback": {nil, exitUsage, "callback: invalid: use a URL", []string{feedURL, "--callback", "me.example.net/push"}},
		"no listener": {nil, exitFailed, "choose another address with --listen",
			[]string{feedURL, "--listen", hub.Listener.Addr().String()}},
	} {
		t.Run(name, func(t *testing.T) {
			hub.answer = c.answer
			args := c.args
			if args == nil {
				args = []string{feedURL}
			}
			code, _, errs := cli(t, append([]string{"subscribe"}, args...)...)
			if code != c.code || !strings.Contains(errs, c.says) {
				t.Errorf("exit code %d with %q; want %d with %q", code, errs, c.code, c.says)
			}
		})
	}
}

func TestSubscribeFollowsAHubThatMoved(t *testing.T) {
	hub := newPeer(t)
	hub.answer = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/new" {
			return false
		}
		http.Redirect(w, r, "/new", http.StatusPermanentRedirect)
		return true
	}
	feedURL, _ := advertised(t, "http://hub.invalid/")
	code := interrupted(t, func(terminal) bool { return len(hub.requests()) > 0 }, "subscribe", feedURL, "--hub", hub.URL)
	if topic := hub.requests()[0].Get("hub.topic"); code != exitOK || topic != feedURL {
		t.Errorf("it ends with %d, subscribed to %s", code, topic)
	}
}

func TestSubscribeGivesUpOnAHubThatNeverCalls(t *testing.T) {
	hub := newPeer(t)
	hub.answer = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusAccepted)
		return true
	}
	feedURL, _ := advertised(t, hub.URL)
	s := subscriber{notes: io.Discard, patience: time.Millisecond}
	err := s.run(t.Context(), feedURL, "127.0.0.1:0", "")
	if err == nil || !strings.Contains(err.Error(), "did not confirm it within 1ms; can it reach http://127.0.0.1:") {
		t.Errorf("it says %v", err)
	}
}
