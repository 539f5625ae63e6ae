package feed_test

import (
	"encoding/json"
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

func TestPodcastInJSON(t *testing.T) {
	for _, text := range []string{`{}`, `{"owner":"Ann","explicit":true,"persons":[{"name":"Bo","role":"host"}]}`, `{"type":"serial","explicit":false}`} {
		var about feed.About
		if err := json.Unmarshal([]byte(text), &about); err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(about); err != nil || string(got) != text {
			t.Errorf("%s became %s, %v", text, got, err)
		}
	}
	var about feed.About
	if err := json.Unmarshal([]byte(`{"explicit":null}`), &about); err != nil || about.Explicit != "" {
		t.Errorf("null became %q, %v", about.Explicit, err)
	}
	if err := json.Unmarshal([]byte(`{"explicit":"clean"}`), &about); err == nil {
		t.Error("a text is taken for a boolean")
	}
}
