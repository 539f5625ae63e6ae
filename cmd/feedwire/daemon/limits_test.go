package daemon

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/storetest"
)

// from returns a client that connects from an address of this machine.
func from(t *testing.T, address string) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: dialer.DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// statusOf sends a request and returns its status.
func statusOf(t *testing.T, c *http.Client, method, url, body string, header ...string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}

// Wrong passwords of feeds and wrong tokens make their address wait. Those who were right before, sessions and other addresses go on.
func TestWrongCredentialsHaveToWait(t *testing.T) {
	t.Parallel()
	const private = "feeds:\n  production:\n    auth: {username: fb, password: a-long-password}\n"
	basic := func(password string) []string {
		req, _ := http.NewRequest(http.MethodGet, "/", nil)
		req.SetBasicAuth("fb", password)
		return []string{"Authorization", req.Header.Get("Authorization")}
	}
	for name, tt := range map[string]struct {
		path         string
		right, wrong []string
	}{
		"a feed":  {"/feed/production", basic("a-long-password"), basic("guess")},
		"the API": {"/api/v1/sources", nil, []string{"Authorization", "Bearer guess"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := start(t, storetest.RedisAOF(t), private)
			right := tt.right
			if right == nil {
				right = []string{"Authorization", "Bearer " + d.app.token}
			}
			ann, eve, bob := d.signUp(t, "ann"), from(t, "127.0.0.1"), from(t, "127.0.0.7")
			if got := statusOf(t, eve, http.MethodGet, d.Base+tt.path, "", right...); got != http.StatusOK {
				t.Fatalf("right credentials got %d", got)
			}
			refused := 0
			for range 20 {
				if statusOf(t, eve, http.MethodGet, d.Base+tt.path, "", tt.wrong...) == http.StatusTooManyRequests {
					refused++
				}
			}
			if refused != 9 { // ten are free, and the eleventh shows that they are used up
				t.Errorf("%d of 20 wrong credentials were refused unseen", refused)
			}
			for who, c := range map[string]*http.Client{"the same address": eve, "another address": bob} {
				if got := statusOf(t, c, http.MethodGet, d.Base+tt.path, "", right...); got != http.StatusOK {
					t.Errorf("right credentials from %s got %d", who, got)
				}
			}
			if _, status, _ := ann.sees("/"); status != http.StatusOK {
				t.Errorf("a session got %d", status)
			}
		})
	}
}

func TestSignInFormsAreSmall(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "")
	form := "name=ann&password=" + strings.Repeat("x", 190<<10)
	for path, want := range map[string]int{"/login": http.StatusRequestEntityTooLarge, "/welcome": http.StatusRequestEntityTooLarge} {
		got := statusOf(t, from(t, "127.0.0.1"), http.MethodPost, d.Base+path, form, "Content-Type", "application/x-www-form-urlencoded")
		if got != want {
			t.Errorf("%s: got %d, want %d", path, got, want)
		}
	}
}

func TestBodyDeclaredTooLargeIsRefusedUnsent(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "")
	for _, declared := range []string{
		"POST /login HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 194560",
		"POST /api/v1/opml HTTP/1.1\r\nContent-Type: text/x-opml\r\nAuthorization: Bearer " + d.app.token + "\r\nContent-Length: 9000000",
	} {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(d.Base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		fmt.Fprintf(c, "%s\r\nHost: x\r\n\r\n", declared)
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: got %d", declared, resp.StatusCode)
		}
	}
}

// Sign-ins that stop halfway hold a bounded part of the memory, and a new sign-in works meanwhile.
func TestUnfinishedSignInsHoldLittle(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "limits: {request_bytes: 2MiB, connections: 200, connections_per_client: 50}\n")
	ann := d.signUp(t, "ann")
	for i := range 300 {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(fmt.Sprintf("127.0.1.%d", i%10+1))}}
		c, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(d.Base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, _ = fmt.Fprintf(c, "POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 16000\r\n\r\nname=%s",
			strings.Repeat("x", 12_000))
	}
	wiretest.Eventually(t, "the share of strangers is full", func() bool { return d.metric("feedwire_http_limited_total", "result", "body_refused") > 0 })
	if got := d.metric("feedwire_http_request_bytes", "", ""); got > 1.5*(1<<20) {
		t.Errorf("%v bytes are in use", got)
	}
	wiretest.Eventually(t, "stopped sign-ins give way to new connections", func() bool { // which they do after two seconds
		resp, err := from(t, "127.0.0.8").Get(d.Base + "/healthz")
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	if _, status, _ := ann.sees("/"); status != http.StatusOK {
		t.Errorf("a session got %d", status)
	}
	if got := statusOf(t, from(t, "127.0.0.7"), http.MethodPost, d.Base+"/login", "name=ann&password=wrong", "Content-Type", "application/x-www-form-urlencoded"); got != http.StatusUnauthorized {
		t.Errorf("another sign-in got %d", got)
	}
}
