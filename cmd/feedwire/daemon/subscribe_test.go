package daemon

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/cli"
	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/signals/websub"
	"github.com/feedwire/feedwire/store/feed"
)

func TestSubscribePrintsEachNewEntryOnce(t *testing.T) {
	t.Parallel()
	hub := wiretest.NewHub(t)
	feedURL, render := wiretest.Advertised(t, hub.URL)
	known, news := wiretest.Post("p1", "Known", "a"), wiretest.Post("p2", "New\u202eline", "b")
	var out, errs string
	step := 0
	code := interrupted(t, func(term outputs) bool {
		out, errs = written(t, term.out), written(t, term.err)
		switch {
		case step == 0 && strings.Contains(errs, "subscribed for"):
			step++
			for range 2 {
				if status := hub.Deliver(render(known, news), nil); status != http.StatusAccepted {
					t.Errorf("a delivery is answered %d", status)
				}
			}
			hub.Deliver(render(wiretest.Post("p3", "Forged", "x")), func(r *http.Request) {
				r.Header.Set(websub.SignatureHeader, websub.Sign(websub.SHA256, "guessed", []byte("x")))
			})
			hub.Deliver(render(known, wiretest.Post("p2", "Corrected", "c")), gzipped(t, render(known, wiretest.Post("p2", "Corrected", "c"))))
		case step == 1 && strings.Contains(out, "Corrected"):
			return true
		}
		return false
	}, "subscribe", feedURL)
	if code != cli.ExitOK {
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
	case <-hub.Ended:
	default:
		t.Error("it did not take its leave")
	}
	first := hub.Requests()[0]
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
	t.Parallel()
	hub := wiretest.NewHub(t)
	feedURL, render := wiretest.Advertised(t, hub.URL)
	told := filepath.Join(t.TempDir(), "told")
	var errs string
	step := 0
	code := interrupted(t, func(term outputs) bool {
		errs = written(t, term.err)
		if step == 0 && strings.Contains(errs, "subscribed") {
			step++
			hub.Deliver(render(wiretest.Post("p2", "One", "b"), wiretest.Post("p3", "Two", "c")), nil)
		}
		return strings.Count(errs, "exit status 3") == 2
	}, "subscribe", feedURL, "--exec", "cat >> "+told+"; exit 3")
	if code != cli.ExitOK {
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

func TestSubscribeRenewsAndConfirmsOnlyItsOwnRequests(t *testing.T) {
	t.Parallel()
	hub := wiretest.NewHub(t)
	hub.Lease = "1"
	feedURL, render := wiretest.Advertised(t, hub.URL)
	var out string
	step := 0
	code := interrupted(t, func(term outputs) bool {
		out = written(t, term.out)
		if len(hub.Requests()) > 1 && step == 0 {
			step++
			form := hub.Requests()[0]
			callback, topic := form.Get("hub.callback"), form.Get("hub.topic")
			for _, forged := range [][3]string{
				{callback, "unsubscribe", topic}, {callback, "subscribe", topic + "?invalid"}, {callback, "denied", "other"},
				{callback + "x", "subscribe", topic}, {callback, "publish", topic},
			} {
				if status, _ := hub.Verify(forged[0], forged[1], forged[2]); status != http.StatusNotFound {
					t.Errorf("%v is answered %d", forged[1:], status)
				}
			}
			hub.Deliver(render(wiretest.Post("p2", "Last", "b")), nil)
		}
		return strings.Contains(out, "Last")
	}, "subscribe", feedURL, "-o", "json")
	if code != cli.ExitOK || !strings.HasPrefix(out, `{"feed_url":"`) {
		t.Errorf("it ends with %d and %s", code, out)
	}
}

func TestSubscribeSaysWhyItCannot(t *testing.T) {
	t.Parallel()
	hub := wiretest.NewHub(t)
	feedURL, _ := wiretest.Advertised(t, hub.URL)
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request) bool
		code   int
		says   string
		args   []string
	}{
		"refused": {func(w http.ResponseWriter, r *http.Request) bool {
			http.Error(w, "no such topic for "+r.FormValue("hub.callback"), http.StatusNotFound)
			return true
		}, cli.ExitFailed, "responded 404 Not Found: no such topic for http://127.0.0.1:", nil},
		"denied": {func(w http.ResponseWriter, r *http.Request) bool {
			hub.Verify(r.FormValue("hub.callback"), "denied", r.FormValue("hub.topic"))
			return true
		}, cli.ExitFailed, "denied the subscription: no more", nil},
		"redirect that loses the request": {func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
			return true
		}, cli.ExitFailed, "redirects in a way that a request must not follow", nil},
		"no hub":      {nil, cli.ExitFailed, "does not name a hub", []string{wiretest.NewOrigin(t).URL}},
		"no address":  {nil, cli.ExitUsage, "is not an HTTP URL", []string{"blog.example"}},
		"no callback": {nil, cli.ExitUsage, "callback: invalid: use a URL", []string{feedURL, "--callback", "me.example.net/push"}},
		"no listener": {nil, cli.ExitFailed, "choose another address with --listen",
			[]string{feedURL, "--listen", hub.Listener.Addr().String()}},
	} {
		t.Run(name, func(t *testing.T) {
			hub.Answer = c.answer
			args := c.args
			if args == nil {
				args = []string{feedURL}
			}
			code, _, errs := feedwire(t, append([]string{"subscribe"}, args...)...)
			if code != c.code || !strings.Contains(errs, c.says) {
				t.Errorf("exit code %d with %q; want %d with %q", code, errs, c.code, c.says)
			}
		})
	}
}

func TestSubscribeFollowsAHubThatMoved(t *testing.T) {
	t.Parallel()
	hub := wiretest.NewHub(t)
	hub.Answer = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/new" {
			return false
		}
		http.Redirect(w, r, "/new", http.StatusPermanentRedirect)
		return true
	}
	feedURL, _ := wiretest.Advertised(t, "http://hub.invalid/")
	code := interrupted(t, func(outputs) bool { return len(hub.Requests()) > 0 }, "subscribe", feedURL, "--hub", hub.URL)
	if topic := hub.Requests()[0].Get("hub.topic"); code != cli.ExitOK || topic != feedURL {
		t.Errorf("it ends with %d, subscribed to %s", code, topic)
	}
}
