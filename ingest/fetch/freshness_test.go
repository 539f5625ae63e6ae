package fetch_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/feedwire/feedwire/ingest/fetch"
)

func TestFreshnessIsReadFromTheHeader(t *testing.T) {
	cases := []struct {
		name   string
		header http.Header
		want   time.Duration // from now; 0: nothing is said
		from   string
	}{
		{"nothing", nil, 0, ""},
		{"max-age", http.Header{"Cache-Control": {"public, max-age=600"}}, 600 * time.Second, "Cache-Control"},
		{"max-age less Age", http.Header{"Cache-Control": {"Max-Age=600"}, "Age": {"100"}}, 500 * time.Second, "Cache-Control"},
		{"at most a day", http.Header{"Cache-Control": {"max-age=99999999999999999999"}}, 24 * time.Hour, "Cache-Control"},
		{"no-cache", http.Header{"Cache-Control": {"no-cache, max-age=600"}}, 0, ""},
		{"nonsense", http.Header{"Cache-Control": {"max-age=soon"}}, 0, ""},
		{"Expires by the server's clock", http.Header{"Expires": {"Tue, 10 Jun 2025 15:00:00 GMT"}, "Date": {"Tue, 10 Jun 2025 14:00:00 GMT"}},
			time.Hour, "Expires"},
		{"Expires in the far future", http.Header{"Expires": {"Tue, 10 Jun 2035 15:00:00 GMT"}}, 24 * time.Hour, "Expires"},
		{"Expires 0", http.Header{"Expires": {"0"}}, 0, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, from := fetch.FreshUntil(c.header, now)
			want := time.Time{}
			if c.want > 0 {
				want = now.Add(c.want)
			}
			if !got.Equal(want) || from != c.from {
				t.Errorf("got %v by %q, want %v by %q", got, from, want, c.from)
			}
		})
	}
}

func TestRetryAfterIsReadInBothForms(t *testing.T) {
	cases := map[string]time.Time{
		"":                              {},
		"soon":                          {},
		"-5":                            {},
		"120":                           now.Add(2 * time.Minute),
		"999999999":                     now.Add(7 * 24 * time.Hour),
		"99999999999999999999":          now.Add(7 * 24 * time.Hour),
		"Tue, 10 Jun 2025 13:00:00 GMT": now.Add(time.Hour),
		"Tue, 10 Jun 2035 13:00:00 GMT": now.Add(7 * 24 * time.Hour),
	}
	for value, want := range cases {
		if got := fetch.RetryAfter(http.Header{"Retry-After": {value}}, now); !got.Equal(want) {
			t.Errorf("%q: got %v, want %v", value, got, want)
		}
	}
}
