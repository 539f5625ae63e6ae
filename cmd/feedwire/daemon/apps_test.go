package daemon

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

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
