package feed_test

import (
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

func TestSourcesThatTakeCredentialsArePrivate(t *testing.T) {
	for _, c := range []struct {
		name    string
		request feed.Request
		want    bool
	}{
		{"nothing", feed.Request{}, false},
		{"a user name", feed.Request{Username: "ann"}, true},
		{"a password", feed.Request{Password: "secret"}, true},
		{"what any browser sends", feed.Request{Headers: map[string]string{"Accept-Language": "de", "user-agent": "x"}}, false},
		{"a cookie", feed.Request{Headers: map[string]string{"Accept": "text/html", "Cookie": "a=b"}}, true},
		{"a key", feed.Request{Headers: map[string]string{"X-Api-Key": "k"}}, true},
		{"a proxy", feed.Request{Proxy: "http://u:p@proxy.example/"}, false},
	} {
		s := feed.Source{Request: c.request}
		if got := s.Private(); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
