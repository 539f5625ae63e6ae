package daemon

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/cmd/feedwire/wiretest"
	"github.com/feedwire/feedwire/store/feed"
	"github.com/feedwire/feedwire/store/storetest"
)

// An app signs in with an app password, which is the token of its calls, until the password is revoked. Wrong passwords must wait.
func TestAppSignsInWithAnAppPassword(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "")
	d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": "ann", "role": "viewer"}, nil)
	created, password, err := d.app.people.CreateToken(t.Context(), &feed.Visitor{Name: "ann"}, "app", []feed.Scope{feed.ScopeFollows}, 0)
	if err != nil {
		t.Fatal(err)
	}
	signIn := func(name, password string) (status int, auth string) {
		t.Helper()
		resp, err := http.PostForm(d.Base+"/accounts/ClientLogin", url.Values{"Email": {name}, "Passwd": {password}})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, _ := io.ReadAll(resp.Body)
		_, auth, _ = strings.Cut(string(body), "Auth=")
		return resp.StatusCode, strings.TrimSpace(auth)
	}
	call := func(path string) int {
		t.Helper()
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, d.Base+path, nil)
		r.Header.Set("Authorization", "GoogleLogin auth="+password)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if bad := resp.Header.Get("X-Reader-Google-Bad-Token"); (bad != "") != (resp.StatusCode == http.StatusUnauthorized) {
			t.Errorf("%s: status %d and bad token %q", path, resp.StatusCode, bad)
		}
		return resp.StatusCode
	}
	if status, auth := signIn("ann", password); status != http.StatusOK || auth != password || strings.Contains(auth, "=") {
		t.Errorf("signed in: %d, %q", status, auth)
	}
	for _, path := range []string{"/reader/api/0/tag/list", "/api/greader.php/reader/api/0/subscription/list?output=json"} {
		if status := call(path); status != http.StatusOK {
			t.Errorf("%s: %d", path, status)
		}
	}
	wiretest.Eventually(t, "the call counted by its route", func() bool {
		return d.metric("feedwire_http_requests_total", "route", "/api/greader.php/reader/api/0/tag/list") == 1
	})
	if status, _ := signIn("bob", password); status != http.StatusUnauthorized {
		t.Errorf("signed in as another account: %d", status)
	}
	d.do(http.MethodDelete, "/api/v1/tokens/"+created.ID, nil, nil)
	if status := call("/reader/api/0/tag/list"); status != http.StatusUnauthorized {
		t.Errorf("with a revoked password: %d", status)
	}
	status := http.StatusUnauthorized
	for range 50 {
		if status, _ = signIn("ann", "wrong"); status == http.StatusTooManyRequests {
			break
		}
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("after 50 wrong passwords: %d", status)
	}
}

// An app of the Fever API sends a hash of the name and an app password in the form of each call, and reads in the answer whether it is
// right. The hash is no token for anything but what the account follows.
func TestFeverAppSignsInWithAnAppPassword(t *testing.T) {
	t.Parallel()
	d := start(t, storetest.RedisAOF(t), "")
	d.do(http.MethodPost, "/api/v1/users", map[string]string{"name": "ann", "role": "viewer"}, nil)
	scopes := []feed.Scope{feed.ScopeFollows, feed.ScopePosts}
	created, password, err := d.app.people.CreateToken(t.Context(), &feed.Visitor{Name: "ann"}, "app", scopes, 0)
	if err != nil {
		t.Fatal(err)
	}
	call := func(path, key string) (status int, body string) {
		t.Helper()
		resp, err := http.PostForm(d.Base+path, url.Values{"api_key": {key}})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		text, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, strings.TrimSpace(string(text))
	}
	const refused = `{"api_version":3,"auth":0}`
	key := feed.FeverKey("ann", password)
	for _, path := range []string{"/fever/?api", "/api/fever.php?api"} {
		for _, sent := range []string{key, strings.ToUpper(key)} {
			if status, body := call(path, sent); status != http.StatusOK || !strings.HasPrefix(body, `{"api_version":3,"auth":1,`) {
				t.Errorf("%s: %d %s", path, status, body)
			}
		}
		for _, sent := range []string{"", "wrong", password, feed.FeverKey("bob", password)} {
			if status, body := call(path, sent); status != http.StatusOK || body != refused {
				t.Errorf("%s with the key %q: %d %s", path, sent, status, body)
			}
		}
	}
	for path, want := range map[string]int{"/api/v1/me/follows": http.StatusOK, "/api/v1/me/posts": http.StatusForbidden} {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, d.Base+path, nil)
		r.Header.Set("Authorization", "Fever "+key)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if _ = resp.Body.Close(); resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, resp.StatusCode, want)
		}
	}
	d.do(http.MethodDelete, "/api/v1/tokens/"+created.ID, nil, nil)
	if _, body := call("/fever/?api", key); body != refused {
		t.Errorf("with a revoked password: %s", body)
	}
	status := http.StatusOK
	for range 50 {
		if status, _ = call("/fever/?api", "wrong"); status == http.StatusTooManyRequests {
			break
		}
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("after 50 wrong keys: %d", status)
	}
}
