package wiretest

import (
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
)

// Hub is a WebSub hub under the control of a test.
type Hub struct {
	*httptest.Server
	t      *testing.T
	Lease  string                                            // hub.lease_seconds of verifications
	Answer func(w http.ResponseWriter, r *http.Request) bool // true: it has responded

	mu    sync.Mutex
	asked []url.Values
	Ended chan struct{} // closed when an unsubscription is confirmed
}

// NewHub starts a hub that runs until the test ends.
func NewHub(t *testing.T) *Hub {
	p := &Hub{t: t, Lease: "3600", Ended: make(chan struct{})}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

// ServeHTTP verifies a request before it responds, as hubs of PubSubHubbub 0.3 do.
func (p *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.Answer != nil && p.Answer(w, r) {
		return
	}
	if err := r.ParseForm(); err != nil {
		p.t.Error(err)
	}
	mode := r.PostForm.Get("hub.mode")
	status, echo := p.Verify(r.PostForm.Get("hub.callback"), mode, r.PostForm.Get("hub.topic"))
	if status != http.StatusOK || echo != "challenge of "+mode {
		if canceled(r) {
			return
		}
		p.t.Errorf("verification of %s: %d %q", mode, status, echo)
	}
	p.mu.Lock()
	p.asked = append(p.asked, r.PostForm)
	p.mu.Unlock()
	if mode == "unsubscribe" {
		close(p.Ended)
	}
	w.WriteHeader(http.StatusAccepted)
}

// canceled reports whether the subscriber no longer waits for the response: one that is leaving cancels a renewal and does not confirm
// it. The server notices that a little later.
func canceled(r *http.Request) bool {
	select {
	case <-r.Context().Done():
		return true
	case <-time.After(2 * time.Second):
		return false
	}
}

// Verify sends a verification of intent and returns the status and the body of the response.
func (p *Hub) Verify(callback, mode, topic string) (status int, echo string) {
	resp, err := http.Get(callback + "?" + url.Values{
		"hub.mode": {mode}, "hub.topic": {topic}, "hub.challenge": {"challenge of " + mode}, "hub.lease_seconds": {p.Lease},
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

// Requests returns the requests that the subscriber has confirmed.
func (p *Hub) Requests() []url.Values {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// Deliver sends a document to the first subscription, signed with its secret unless set changes the request.
func (p *Hub) Deliver(body string, set func(*http.Request)) (status int) {
	form := p.Requests()[0]
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

// Advertised serves a feed that names a hub, and returns its URL and a function that renders it with other posts.
func Advertised(t *testing.T, hub string) (feedURL string, render func(items ...Item) string) {
	o := NewOrigin(t)
	render = func(items ...Item) string {
		links := fmt.Sprintf(`<a:link xmlns:a="http://www.w3.org/2005/Atom" rel="hub" href=%q/>`+
			`<a:link xmlns:a="http://www.w3.org/2005/Atom" rel="self" href="%s/self"/>`, hub, o.URL)
		return strings.Replace(string(o.Render(items)), "<channel>", "<channel>"+links, 1)
	}
	o.SetRaw("/feed", []byte(render(Post("p1", "Known", "a"))))
	return o.URL + "/feed", render
}
