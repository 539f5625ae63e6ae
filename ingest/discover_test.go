package ingest_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/feedwire/feedwire/ingest"
	"github.com/feedwire/feedwire/ingest/fetch"
	"github.com/feedwire/feedwire/store/feed"
)

// site is a web site that remembers what it was asked for.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func newSite(t *testing.T, pages map[string]http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.URL.Path)
		s.mu.Unlock()
		if h := pages[r.URL.Path]; h != nil {
			h(w, r)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// says answers with a body and headers.
func says(body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Add(header[i], header[i+1])
		}
		_, _ = io.WriteString(w, body)
	}
}

// discoverer is an Ingester that may dial loopback.
func discoverer(t *testing.T, allowed ...netip.Prefix) *ingest.Ingester {
	t.Helper()
	in := ingest.New(newMemory(), ingest.Options{Fetch: fetch.Options{AllowNetworks: allowed}})
	t.Cleanup(in.Transport().CloseIdleConnections)
	return in
}

func TestDiscover(t *testing.T) {
	html := func(head string) http.HandlerFunc {
		return says("<!doctype html><html><head>"+head+"</head><body><p>hi</body></html>", "Content-Type", "text/html; charset=utf-8")
	}
	rss := says(twoPosts, "Content-Type", "application/rss+xml; charset=utf-8")
	for _, tt := range []struct {
		name  string
		at    string
		pages map[string]http.HandlerFunc
		want  []feed.Candidate // URLs without the host
	}{
		{
			name: "a feed is itself", at: "/any.xml", pages: map[string]http.HandlerFunc{"/any.xml": rss},
			want: []feed.Candidate{{URL: "/any.xml", Title: "t", Type: "application/rss+xml", Found: feed.FoundItself}},
		},
		{
			name: "one link, relative, rel list, odd case", at: "/blog/post", pages: map[string]http.HandlerFunc{
				"/blog/post": html(`<LINK REL="Home Alternate" TYPE="Application/RSS+xml; charset=utf-8" HREF="../feed?x=1&amp;y=2" TITLE=" The  Post ">`),
			},
			want: []feed.Candidate{{URL: "/feed?x=1&y=2", Title: "The Post", Type: "application/rss+xml", Found: feed.FoundPage}},
		},
		{
			name: "base, several, comments last, duplicates once", at: "/", pages: map[string]http.HandlerFunc{
				"/": html(`<base href="/sub/"><base href="/no/">
<link rel=alternate type=application/rss+xml href="comments/feed" title="Words">
<link rel=alternate type=application/rss+xml href="c" title="Post » Comments Feed">
<link rel=alternate type=application/atom+xml href="atom">
<link rel=alternate type=application/atom+xml href="atom#again" title="Atom">
<link rel=feed href="plain">`),
			},
			want: []feed.Candidate{
				{URL: "/sub/atom", Title: "Atom", Type: "application/atom+xml", Found: feed.FoundPage},
				{URL: "/sub/plain", Found: feed.FoundPage},
				{URL: "/sub/comments/feed", Title: "Words", Type: "application/rss+xml", Found: feed.FoundPage},
				{URL: "/sub/c", Title: "Post » Comments Feed", Type: "application/rss+xml", Found: feed.FoundPage},
			},
		},
		{
			name: "what is no feed is left out, so the paths are tried", at: "/", pages: map[string]http.HandlerFunc{
				"/": html(`<link rel="alternate stylesheet" type="text/xml" href="/a"><link rel=alternate hreflang=de href="/de">
<link rel=alternate type=application/json href="/wp-json/wp/v2/pages/2"><link rel=alternate type=application/json+oembed href="/o">
<link rel=alternate type=application/rss+xml href="javascript:alert(1)"><link rel=alternate type=application/rss+xml href="">
<link rel=alternate type=application/rss+xml href="ftp://x.example/feed"><link rel=alternate type=application/rss+xml href="http://u:p@x.example/">`),
				"/atom.xml": rss,
			},
			want: []feed.Candidate{{URL: "/atom.xml", Title: "t", Type: "application/rss+xml", Found: feed.FoundPath}},
		},
		{
			name: "Link headers", at: "/", pages: map[string]http.HandlerFunc{
				"/": says("<html>", "Link", `</f.json>; rel="me alternate"; type="application/feed+json"; title="a, \"b\"; c", <x>; rel=next`,
					"Link", `<rss>;type=application/rss+xml;rel=alternate, <of-another>; rel=alternate; type=application/rss+xml; anchor="/other"`),
			},
			want: []feed.Candidate{
				{URL: "/f.json", Title: `a, "b"; c`, Type: "application/feed+json", Found: feed.FoundHeader},
				{URL: "/rss", Type: "application/rss+xml", Found: feed.FoundHeader},
			},
		},
		{
			name: "a path beside the page goes before the root", at: "/blog/a.html", pages: map[string]http.HandlerFunc{
				"/blog/a.html": html(""), "/blog/rss.xml": rss, "/feed": rss,
			},
			want: []feed.Candidate{{URL: "/blog/rss.xml", Title: "t", Type: "application/rss+xml", Found: feed.FoundPath}},
		},
		{
			name: "a path that leads to another host is none", at: "/", pages: map[string]http.HandlerFunc{
				"/": html(""), "/feed": func(w http.ResponseWriter, r *http.Request) {
					http.Redirect(w, r, "http://localhost:"+portOf(r.Host)+"/elsewhere", http.StatusFound)
				},
				"/elsewhere": rss,
			},
		},
		{
			name: "a host that fails is left alone", at: "/", pages: map[string]http.HandlerFunc{
				"/": html(""), "/feed": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) },
				"/feed.xml": rss,
			},
		},
		{
			name: "titles in another encoding", at: "/", pages: map[string]http.HandlerFunc{
				"/": says("<html><head><meta charset=windows-1251><link rel=alternate type=application/rss+xml href=/f title='\xcd\xee\xe2\xee\xf1\xf2\xe8'>", "Content-Type", "text/html"),
			},
			want: []feed.Candidate{{URL: "/f", Title: "Новости", Type: "application/rss+xml", Found: feed.FoundPage}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t, tt.pages)
			got, err := discoverer(t, loopback()...).Discover(t.Context(), s.URL+tt.at)
			if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				got[i].URL = strings.TrimPrefix(got[i].URL, s.URL)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\nasked for %v", diff, s.asked)
			}
			if len(s.asked) > 2+18 {
				t.Errorf("%d requests: %v", len(s.asked), s.asked)
			}
		})
	}
}

func portOf(host string) string {
	_, port, _ := net.SplitHostPort(host)
	return port
}

func TestDiscoverAsksNothingMoreOfAHostThatHasEnough(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{
		"/":     says("<html>"),
		"/feed": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) },
	})
	if got, err := discoverer(t, loopback()...).Discover(t.Context(), s.URL); err != nil || len(got) != 0 {
		t.Errorf("got %v, %v", got, err)
	}
	if want := []string{"/", "/feed"}; !cmp.Equal(s.asked, want) {
		t.Errorf("asked for %v, want %v", s.asked, want)
	}
}

func TestDiscoverSaysWhatIsWrong(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{"/damaged": says("<rss><channel><item></channel"), "/big": says(strings.Repeat("x", 9<<20))})
	in := discoverer(t, loopback()...)
	for path, want := range map[string]feed.FailureClass{
		"/missing": feed.FailureHTTP4xx, "/damaged": feed.FailureParse, "/big": feed.FailureTooLarge,
	} {
		_, err := in.Discover(t.Context(), s.URL+path)
		if got := class(t, err); got != want {
			t.Errorf("%s: got %s (%v), want %s", path, got, err, want)
		}
		if !strings.Contains(err.Error(), "; ") {
			t.Errorf("%s: %q names no way out", path, err)
		}
	}
	for _, u := range []string{"", "ftp://x.example/", "https://u:p@x.example/", "https://", "file:///etc/passwd", "javascript:alert(1)"} {
		if _, err := in.Discover(t.Context(), u); !errors.Is(err, feed.ErrInvalid) {
			t.Errorf("%q gave %v", u, err)
		}
	}
}

func FuzzPageLinks(f *testing.F) {
	f.Add([]byte(`<base href=/x/><link rel=alternate type=application/rss+xml href=a>`), "text/html")
	f.Add([]byte(`<LINK REL="feed alternate" HREF="//[fe80::1%25lo]/%zz?a b" TITLE="&lt;"><link rel=feed href=http://u:p@h/>`), "text/html; charset=koi8-r")
	f.Add([]byte("<!--><base href=javascript:1><base href=http://é.example:80><link rel=feed href='/comments\x00'"), "")
	f.Fuzz(func(t *testing.T, page []byte, contentType string) {
		found := ingest.PageCandidates(page, contentType, "https://x.example/")
		if len(found) > 50 {
			t.Errorf("%d candidates", len(found))
		}
		seen := map[string]bool{}
		for _, c := range found {
			if canonical, err := feed.CanonicalURL(c.URL); err != nil || canonical != c.URL || seen[c.URL] {
				t.Errorf("%q is no canonical URL or stands there twice: %v", c.URL, err)
			}
			seen[c.URL] = true
			if !utf8.ValidString(c.Title) || len(c.Title) > 210 || strings.ContainsAny(c.Title, "\x00\n\t") {
				t.Errorf("title %q", c.Title)
			}
		}
	})
}

func TestURLWithoutASchemeIsHTTPWhereThereIsNoHTTPS(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{"/feed": says(`<rss version="2.0"><channel><title>Quay</title></channel></rss>`)})
	in := discoverer(t, netip.MustParsePrefix("127.0.0.0/8"))
	found, err := in.Discover(t.Context(), strings.TrimPrefix(s.URL, "http://")+"/feed")
	if err != nil || len(found) != 1 || found[0].URL != s.URL+"/feed" {
		t.Errorf("found %+v, %v", found, err)
	}
	if _, err := in.Discover(t.Context(), strings.Replace(s.URL, "http://", "https://", 1)+"/feed"); err == nil {
		t.Error("a URL with https is found over http")
	}
	s.Close()
	if _, err := in.Discover(t.Context(), strings.TrimPrefix(s.URL, "http://")+"/feed"); feed.ClassOf(err) != feed.FailureConnect {
		t.Errorf("without a server: %v", err)
	}
}
