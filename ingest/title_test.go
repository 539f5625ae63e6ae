package ingest_test

import (
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/feedwire/feedwire/store/feed"
)

func TestTitleOfAPage(t *testing.T) {
	const ctype = "Content-Type"
	s := newSite(t, map[string]http.HandlerFunc{
		"/a": says("<title>\n A &amp; B\n\tC </title><body><title>Other</title>"),
		"/b": says(`<title>Window</title><meta property="OG:title" content=" For links "><body>`),
		"/c": says("<title>\xe4</title>", ctype, "text/html; charset=iso-8859-1"),
		"/d": says("<p>None</p>"),
		"/e": says(strings.Repeat(" ", 300<<10) + "<title>Late</title>"),
		"/f": http.RedirectHandler("/a", http.StatusFound).ServeHTTP,
		"/g": says("<title>" + strings.Repeat("x", 1000) + "</title>"),
		"/h": says("<title></title>"),
	})
	in := discoverer(t, netip.MustParsePrefix("127.0.0.0/8"))
	for path, want := range map[string]string{
		"/a": "A & B C", "/b": "For links", "/c": "ä", "/d": "", "/e": "", "/f": "A & B C", "/g": strings.Repeat("x", 500) + "…", "/h": "", "/i": "",
	} {
		if got, err := in.Title(t.Context(), s.URL+path); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	if _, err := in.Title(t.Context(), "ftp://a.example/"); !errors.Is(err, feed.ErrInvalid) {
		t.Errorf("another scheme: %v", err)
	}
	asked := len(s.asked)
	if got, err := discoverer(t).Title(t.Context(), s.URL+"/a"); err == nil || len(s.asked) != asked {
		t.Errorf("a private address: %q", got)
	}
}
